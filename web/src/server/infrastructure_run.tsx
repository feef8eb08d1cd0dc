// SPDX-License-Identifier: Apache-2.0
// What the processes of a suite's run used on each node over time, and which processes those were.
import { useMemo } from 'preact/hooks';
import { amount } from '../state/format.ts';
import { api, getJson } from './api.ts';
import { Problem } from './chrome.tsx';
import { linkTo } from './links.ts';
import { HeatMap } from './heat_map.tsx';
import { useKnownApplications } from './known_applications.ts';
import { spans, startOf } from './nodes.ts';
import { usePolled } from './poll.ts';
import { query } from './query.ts';
import { measureText } from './run_page.tsx';
import { livesOf, nodeCells, type Life, type ProcessRow, type Rows } from './runs.ts';
import { clockOf } from './times.ts';

const shownUsers = 12;
const maps: { id: 'cpu' | 'memory' | 'disk'; label: string; text(value: number): string }[] = [
  { id: 'cpu', label: 'CPU, % of a core', text: (value) => `${value.toFixed(0)}%` },
  { id: 'memory', label: 'Resident memory', text: (value) => amount(value, 'bytes') },
  { id: 'disk', label: 'Bytes read and written', text: (value) => amount(value, 'bytes') },
];

interface TimeSpan {
  from: number;
  to: number;
}

export function InfrastructureRun({ id }: { id: string }) {
  const rows = usePolled(`processes ${id}`, (signal) =>
    getJson<Rows<ProcessRow>>(api(`/runs/${encodeURIComponent(id)}/processes`), signal),
  );
  const lives = useMemo(() => livesOf(rows.value?.rows ?? []), [rows.value]);
  const range = useMemo(
    () =>
      lives.reduce((all, { start, end }) => ({ from: Math.min(all.from, start), to: Math.max(all.to, end) }), { from: Infinity, to: 0 }),
    [lives],
  );
  const nodes = useMemo(() => nodeCells(lives, range.from, range.to, spans), [lives, range]);
  return (
    <>
      <Problem error={rows.error} updated={rows.updated} />
      {!rows.value && !rows.error && <p class="loading">Loading…</p>}
      {rows.value && lives.length === 0 && <p class="empty">This run has no readings of processes.</p>}
      {lives.length > 0 &&
        maps.map(({ id: map, label, text }) => (
          <HeatMap
            key={map}
            label={label}
            note="of the run's processes"
            text={text}
            range={range}
            rows={nodes.map((cells) => ({ host: cells.node, values: cells[map] }))}
          />
        ))}
      {lives.length > 0 && <Users lives={lives} range={range} />}
    </>
  );
}

function Users({ lives, range }: { lives: Life[]; range: TimeSpan }) {
  const span = query.value.get('span');
  const node = query.value.get('node');
  const known = useKnownApplications(lives.map(({ application }) => application));
  if (span === null || node === null) return <p class="quiet note">Select a cell to see which processes used the node.</p>;
  const from = startOf(range, Number(span), spans);
  const to = startOf(range, Number(span) + 1, spans);
  const users = lives
    .filter(({ monitor }) => monitor === node)
    .map((life) => {
      const own = life.readings.filter(({ timeStamp = 0 }) => timeStamp >= from && (timeStamp < to || to === range.to));
      return {
        life,
        cpu: own.reduce((sum, { cpuPercent = 0 }) => sum + cpuPercent, 0) / Math.max(1, own.length),
        rss: own.reduce((most, { rssBytes = 0 }) => Math.max(most, rssBytes), 0),
        readings: own.length,
      };
    })
    .filter(({ readings }) => readings > 0)
    .sort((a, b) => b.cpu - a.cpu || b.rss - a.rss)
    .slice(0, shownUsers);
  return (
    <section aria-label="Processes of the cell">
      <h2>
        {node}, {clockOf(from)}–{clockOf(to)}
      </h2>
      <div class="scrolls">
        <table class="plain processes">
          <thead>
            <tr>
              <th class="text">Process</th>
              <th class="text">Type</th>
              <th>% CPU, mean</th>
              <th>Resident</th>
              <th class="text">Command</th>
            </tr>
          </thead>
          <tbody>
            {users.map(({ life, cpu, rss }, i) => (
              <tr key={i}>
                <td class="text">
                  {known.has(life.application) ? <a href={linkTo.application(life.application)}>{life.pid}</a> : life.pid}
                </td>
                <td class="text">{life.type}</td>
                <td>{measureText('cpuPercent', cpu)}</td>
                <td>{measureText('rssBytes', rss)}</td>
                <td class="text command-cell" title={life.command}>
                  {life.command}
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      {users.length === 0 && <p class="empty">No readings in this span.</p>}
    </section>
  );
}
