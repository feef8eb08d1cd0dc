// SPDX-License-Identifier: Apache-2.0
import { amount, exact, times } from '../state/format.ts';
import type { Sides } from './sides.ts';

export interface RatioRow {
  label: string;
  unit: string;
  a: number;
  b: number;
}

interface Properties {
  caption: string;
  sides: Sides;
  rows: RatioRow[];
}

/** Numbers of two sides and how many times the first is the second. */
export function RatioTable({ caption, sides, rows }: Properties) {
  return (
    <table class="plain">
      <caption class="quiet">{caption}</caption>
      <thead>
        <tr>
          <th class="text" scope="col">
            Metric
          </th>
          <th scope="col">{sides[0]}</th>
          <th scope="col">{sides[1]}</th>
          <th scope="col">Ratio</th>
        </tr>
      </thead>
      <tbody>
        {rows.map(({ label, unit, a, b }) => (
          <tr key={label}>
            <td class="text">{label}</td>
            <td title={exact(a, unit)}>{amount(a, unit)}</td>
            <td title={exact(b, unit)}>{amount(b, unit)}</td>
            <td>{ratio(a, b)}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

/** Zero has no multiple. */
function ratio(a: number, b: number): string {
  if (b === 0) return a === 0 ? '–' : 'not in the baseline';
  return times(a / b);
}
