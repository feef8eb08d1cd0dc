// SPDX-License-Identifier: Apache-2.0
// Infrastructure: what the processes of a run used on each node over time, and which processes those were.
import { useMemo } from 'preact/hooks';
import { amount } from '../state/format.ts';
import { api, getJson } from './api.ts';
import { linkTo, Problem, TopBar } from './chrome.tsx';
import { usePolled } from './poll.ts';
import { query, setQuery } from './query.ts';
import { measureText } from './run_page.tsx';
import { livesOf, nodeCells, type Life, type NodeCells, type ProcessRow, type Rows, type Run } from './runs.ts';
import { clockOf } from './times.ts';

const spans = 48;
const levels = 9;
const shownUsers = 12;
const maps: { id: 'cpu' | 'memory' | 'disk'; label: string; text(value: number): string }[] = [
  { id: 'cpu', label: 'CPU, % of a core', text: (value) => `${value.toFixed(0)}%` },
  { id: 'memory', label: 'Resident memory', text: (value) => amount(value, 'bytes') },
  { id: 'disk', label: 'Bytes read and written', text: (value) => amount(value, 'bytes') },
];

export function InfrastructurePage() {
  const list = usePolled('runs', (signal) => getJson<{ runs: Run[] }>(api('/runs'), signal));
  const runs = list.value?.runs ?? [];
  const id = query.value.get('run') ?? String(runs[0]?.id ?? '');
  const rows = usePolled(`processes ${id}`, (signal) => (id ? getJson<Rows<ProcessRow>>(api(`/runs/${encodeURIComponent(id)}/processes`), signal) : Promise.resolve({ rows: [], total: 0 })));
  const lives = useMemo(() => livesOf(rows.value?.rows ?? []), [rows.value]);
  const range = useMemo(() => lives.reduce((all, { start, end }) => ({ from: Math.min(all.from, start), to: Math.max(all.to, end) }), { from: Infinity, to: 0 }), [lives]);
  const nodes = useMemo(() => nodeCells(lives, range.from, range.to, spans), [lives, range]);
  return (
    <>
      <TopBar title="Infrastructure" facts={nodes.length > 0 ? `${nodes.length} node${nodes.length === 1 ? '' : 's'}` : ''} keys={[['Tab', 'next cell'], ['Enter', 'who used it'], ['?', 'this help']]} />
      <main class="run-page">
        <Problem error={list.error ?? rows.error} updated={list.updated} />
        {!list.value && !list.error && <p class="loading">Loading…</p>}
        {list.value && runs.length === 0 && <p class="empty">No runs yet. Run a suite with <code class="code">sparkprof suite run suite.yaml --server {location.origin}</code></p>}
        {runs.length > 0 && (
          <p class="list-bar"><label>Run <select value={id} onChange={(event) => setQuery({ run: event.currentTarget.value, node: null, span: null }, true)}>
            {runs.map((run) => <option key={run.id} value={String(run.id)}>{run.id} · {run.suiteName}</option>)}
          </select></label>{id && <a href={linkTo.run(id)}>Open the run</a>}</p>
        )}
        {rows.value && runs.length > 0 && lives.length === 0 && <p class="empty">This run has no readings of processes.</p>}
        {lives.length > 0 && maps.map((map) => <HeatMap key={map.id} map={map} nodes={nodes} range={range} />)}
        {lives.length > 0 && <Users lives={lives} range={range} />}
      </main>
    </>
  );
}

interface TimeSpan { from: number; to: number }
const startOf = ({ from, to }: TimeSpan, i: number) => from + ((to - from) * i) / spans;

function HeatMap({ map, nodes, range }: { map: typeof maps[number]; nodes: NodeCells[]; range: TimeSpan }) {
  const most = nodes.flatMap((cells) => cells[map.id]).reduce((a, b) => Math.max(a, b), 0);
  const { node, span } = { node: query.value.get('node'), span: query.value.get('span') };
  return (
    <section aria-label={map.label}>
      <h2>{map.label} <span class="quiet">of the run's processes, at most {map.text(most)}</span></h2>
      <div class="scrolls"><table class="heat">
        <tbody>{nodes.map((cells) => (
          <tr key={cells.node}>
            <th scope="row">{cells.node || '(none)'}</th>
            {cells[map.id].map((value, i) => {
              const text = `${cells.node}, ${clockOf(startOf(range, i))}: ${map.text(value)}`;
              return (
                <td key={i} class={`heat-${most > 0 ? Math.ceil((value / most) * levels) : 0}`} title={text}>
                  <button aria-label={text} aria-pressed={cells.node === node && String(i) === span} onClick={() => setQuery({ node: cells.node, span: i })} />
                </td>
              );
            })}
          </tr>
        ))}</tbody>
      </table></div>
      <p class="quiet note">{clockOf(range.from)} to {clockOf(range.to)}</p>
    </section>
  );
}

function Users({ lives, range }: { lives: Life[]; range: TimeSpan }) {
  const span = query.value.get('span');
  const node = query.value.get('node');
  if (span === null || node === null) return <p class="quiet note">Select a cell to see which processes used the node.</p>;
  const from = startOf(range, Number(span));
  const to = startOf(range, Number(span) + 1);
  const users = lives.filter(({ monitor }) => monitor === node).map((life) => {
    const own = life.readings.filter(({ timeStamp = 0 }) => timeStamp >= from && (timeStamp < to || to === range.to));
    return { life, cpu: own.reduce((sum, { cpuPercent = 0 }) => sum + cpuPercent, 0) / Math.max(1, own.length), rss: own.reduce((most, { rssBytes = 0 }) => Math.max(most, rssBytes), 0), readings: own.length };
  }).filter(({ readings }) => readings > 0).sort((a, b) => b.cpu - a.cpu || b.rss - a.rss).slice(0, shownUsers);
  return (
    <section aria-label="Processes of the cell">
      <h2>{node}, {clockOf(from)} to {clockOf(to)}</h2>
      <div class="scrolls"><table class="plain processes">
        <thead><tr><th class="text">Process</th><th class="text">Type</th><th>% CPU, mean</th><th>Resident</th><th class="text">Command</th></tr></thead>
        <tbody>{users.map(({ life, cpu, rss }, i) => (
          <tr key={i}>
            <td class="text">{life.application ? <a href={linkTo.application(life.application)}>{life.pid}</a> : life.pid}</td><td class="text">{life.type}</td>
            <td>{measureText('cpuPercent', cpu)}</td><td>{measureText('rssBytes', rss)}</td><td class="text command-cell" title={life.command}>{life.command}</td>
          </tr>
        ))}</tbody>
      </table></div>
      {users.length === 0 && <p class="empty">No readings in this span.</p>}
    </section>
  );
}
