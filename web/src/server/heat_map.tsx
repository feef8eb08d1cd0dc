// SPDX-License-Identifier: Apache-2.0
// Rows of hosts × spans of time; each cell is a button that selects who used the host then.
import { query, setQuery } from './query.ts';
import { levelOf, startOf, type Values } from './nodes.ts';
import { moment } from './times.ts';

export const levels = 9;

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
        <table class="heat">
          <tbody>
            {rows.map(({ host, values, whole }) => (
              <tr key={host}>
                <th scope="row">{host || '(none)'}</th>
                {values.map((value, i) => {
                  const used = value === null ? 'nothing recorded' : `${text(value)}${whole ? ` of ${text(whole)}` : ''}`;
                  const title = `${host}, ${moment(startOf(range, i, values.length), now)}: ${used}`;
                  const level = levelOf(value, whole ?? most, levels);
                  return (
                    <td key={i} class={level < 0 ? 'heat-none' : `heat-${level}`} title={title}>
                      <button
                        aria-label={title}
                        aria-pressed={host === node && String(i) === span}
                        onClick={() => setQuery({ ...fixed, node: host, span: i }, true)}
                      />
                    </td>
                  );
                })}
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      <p class="quiet note">
        {moment(range.from, now)} to {moment(range.to, now)}
      </p>
    </section>
  );
}
