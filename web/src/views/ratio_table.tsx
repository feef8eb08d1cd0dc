// SPDX-License-Identifier: Apache-2.0
import { amount, exact } from '../state/format.ts';

export interface RatioRow {
  label: string;
  unit: string;
  a: number;
  b: number;
}

/** Numbers of two sides and how many times the first is the second. Roles, because its layout is that of columns. */
export function RatioTable({ caption, rows }: { caption: string; rows: RatioRow[] }) {
  return (
    <table class="plain" role="table">
      <caption class="quiet">{caption}</caption>
      <thead role="rowgroup">
        <tr role="row">
          <th class="text" scope="col" role="columnheader">
            Metric
          </th>
          <th scope="col" role="columnheader">
            A
          </th>
          <th scope="col" role="columnheader">
            B
          </th>
          <th scope="col" role="columnheader">
            Ratio
          </th>
        </tr>
      </thead>
      <tbody role="rowgroup">
        {rows.map(({ label, unit, a, b }) => (
          <tr key={label} role="row">
            <td class="text" role="cell">
              {label}
            </td>
            <td role="cell" title={exact(a, unit)}>
              {amount(a, unit)}
            </td>
            <td role="cell" title={exact(b, unit)}>
              {amount(b, unit)}
            </td>
            <td role="cell">{ratio(a, b)}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

/** Zero has no multiple. */
function ratio(a: number, b: number): string {
  if (b === 0) return a === 0 ? '–' : 'only A';
  const value = a / b;
  return value >= 100 ? `${Math.round(value)}×` : `${value.toPrecision(2).replace(/\.0$/, '')}×`;
}
