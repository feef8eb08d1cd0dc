// SPDX-License-Identifier: Apache-2.0
// Rows of hosts × spans of time; a cell selects who used the host then. One tab stop: arrow keys walk from cell to cell.
import { query, setQuery } from './query.ts';
import { levelOf, startOf, type Values } from './nodes.ts';
import { clockOf, moment } from './times.ts';

export const levels = 9;
/** ms; in a shorter range, times differ in their seconds */
const shortRange = 600e3;

export interface HeatRow {
  host: string;
  values: Values /** what the host has of it, if that is known */;
  whole?: number;
}
interface Properties {
  label: string;
  /** behind the label */
  note: string;
  rows: HeatRow[];
  range: { from: number; to: number };
  text(value: number): string;
  /** what the address of a cell has besides it: a range that ends now would move below it */
  fixed?: Record<string, number | null>;
}

export function HeatMap({ label, note, rows, range, text, fixed = {} }: Properties) {
  const most = rows.flatMap(({ values }) => values).reduce<number>((a, b) => Math.max(a, b ?? 0), 0);
  const node = query.value.get('node');
  const span = query.value.get('span');
  const now = Date.now();
  const timeOf = (ms: number) => (range.to - range.from < shortRange ? clockOf(ms) : moment(ms, now));
  const spans = rows[0]?.values.length ?? 0;
  const id = (row: number, at: number) => `${label}-${row}-${at}`.replaceAll(' ', '-');
  const [row, at] = [rows.findIndex(({ host }) => host === node), Number(span ?? -1)];
  const isSet = row >= 0 && at >= 0 && span !== null;
  const pick = (to: number, when: number) => setQuery({ ...fixed, node: rows[to]!.host, span: when }, true);
  const onKey = (event: KeyboardEvent) => {
    const step = { ArrowLeft: [0, -1], ArrowRight: [0, 1], ArrowUp: [-1, 0], ArrowDown: [1, 0], Enter: [0, 0] }[event.key];
    if (!step || rows.length === 0) return;
    event.preventDefault();
    const inside = (value: number, count: number) => Math.max(0, Math.min(count - 1, value));
    pick(inside((isSet ? row : 0) + (isSet ? step[0]! : 0), rows.length), inside((isSet ? at : 0) + (isSet ? step[1]! : 0), spans));
  };
  return (
    <section aria-label={label}>
      <h2>
        {label}{' '}
        <span class="quiet">
          {note}
          {most > 0 && `, at most ${text(most)}`}
        </span>
      </h2>
      <div class="scrolls">
        <table
          class="heat"
          role="grid"
          tabIndex={0}
          aria-label={`${label}: hosts by time. Arrow keys move from cell to cell`}
          aria-activedescendant={isSet ? id(row, at) : undefined}
          onKeyDown={onKey}>
          <tbody>
            {rows.map(({ host, values, whole }, to) => (
              <tr key={host}>
                <th scope="row">
                  {host || '(none)'} {whole ? <span class="quiet">{text(whole)}</span> : null}
                </th>
                {values.map((value, i) => {
                  const used = value === null ? 'nothing recorded' : `${text(value)}${whole ? ` of ${text(whole)}` : ''}`;
                  const title = `${host}, ${timeOf(startOf(range, i, values.length))}: ${used}`;
                  const level = levelOf(value, whole ?? most, levels);
                  return (
                    <td
                      key={i}
                      id={id(to, i)}
                      class={level < 0 ? 'heat-none' : `heat-${level}`}
                      title={title}
                      aria-label={title}
                      aria-selected={to === row && i === at}
                      onClick={() => pick(to, i)}
                    />
                  );
                })}
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      <p class="heat-axis quiet" aria-hidden="true">
        {ticks.map((part) => (
          <span key={part}>{timeOf(range.from + part * (range.to - range.from))}</span>
        ))}
      </p>
    </section>
  );
}

const ticks = [0, 0.25, 0.5, 0.75, 1];
