// SPDX-License-Identifier: Apache-2.0
// Both sides with their main numbers.
import { count, duration } from '../state/format.ts';
import { linkTo, StatusText } from './chrome.tsx';
import { CompareRange } from './compare_range.tsx';
import type { Side, SideName } from './compare_sides.ts';
import type { Comparison, ListedApplication } from './contract.ts';
import { Ratio } from './ratio.tsx';
import { exactMoment, moment } from './times.ts';

interface Properties {
  sides: [Side, Side];
  comparison: Comparison | null;
  swap: string;
}

export function ComparedSummary({ sides, comparison, swap }: Properties) {
  const rows = comparison ? [comparison.a, comparison.b] : [null, null];
  const now = Date.now();
  return (
    <section class="compare-summary" aria-label="The two sides">
      <table class="plain">
        <thead>
          <tr>
            <th scope="col" class="text">
              <a href={swap} title="Exchange the sides">
                ⇄ swap
              </a>
            </th>
            <th scope="col" class="text">
              {comparison ? 'Application' : 'Group and time'}
            </th>
            {comparison &&
              ['Status', 'Group', 'User', 'Started', 'Duration', 'CPU', 'Tasks', 'Findings'].map((label) => (
                <th key={label} scope="col" class={numeric.has(label) ? 'number' : 'text'}>
                  {label}
                </th>
              ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row, i) => (
            <tr key={i}>
              <th scope="row" class="text">
                {i === 0 ? 'A' : 'B, baseline'}
              </th>
              {row ? <ApplicationCells row={row} now={now} /> : <td class="text">{sideCell(sides[i]!, i === 0 ? 'a' : 'b')}</td>}
            </tr>
          ))}
          {comparison && (
            <tr class="ratios">
              <th scope="row" class="text">
                A ÷ B
              </th>
              <td />
              <td />
              <td />
              <td />
              <td />
              <td>
                <Ratio a={comparison.a.durationMs} b={comparison.b.durationMs} />
              </td>
              <td>
                {comparison.a.cpuSeconds !== null && comparison.b.cpuSeconds !== null && (
                  <Ratio a={comparison.a.cpuSeconds} b={comparison.b.cpuSeconds} />
                )}
              </td>
              <td>
                {comparison.a.tasks !== null && comparison.b.tasks !== null && <Ratio a={comparison.a.tasks} b={comparison.b.tasks} />}
              </td>
              <td>
                {comparison.a.findings !== null && comparison.b.findings !== null && (
                  <Ratio a={comparison.a.findings} b={comparison.b.findings} />
                )}
              </td>
            </tr>
          )}
        </tbody>
      </table>
    </section>
  );
}

const numeric = new Set(['Started', 'Duration', 'CPU', 'Tasks', 'Findings']);

function ApplicationCells({ row, now }: { row: ListedApplication; now: number }) {
  return (
    <>
      <td class="text">
        <a class="row-link" href={linkTo.application(row.id)}>
          {row.name || row.id}
        </a>{' '}
        <span class="quiet">{row.id}</span>
      </td>
      <td class="text">
        <StatusText status={row.status} />
      </td>
      <td class="text">
        {row.group && (
          <a class="plain-link" href={linkTo.group(row.group)}>
            {row.group}
          </a>
        )}
      </td>
      <td class="text">{row.user}</td>
      <td title={exactMoment(row.startTime)}>{moment(row.startTime, now)}</td>
      <td>{duration(row.durationMs * 1e6)}</td>
      <td>{row.cpuSeconds === null ? 'unknown' : duration(row.cpuSeconds * 1e9)}</td>
      <td>{row.tasks === null ? 'unknown' : count(row.tasks)}</td>
      <td>{row.findings ?? 'unknown'}</td>
    </>
  );
}

function sideCell(side: Side, name: SideName) {
  return side.kind === 'group' ? <CompareRange side={side} name={name} /> : <a href={linkTo.application(side.id)}>{side.id}</a>;
}
