// SPDX-License-Identifier: Apache-2.0
// A table of some rows that a click on a head sorts.
import type { ComponentChildren } from 'preact';
import { orderOf } from '../analysis/order.ts';
import { useMemo, useState } from 'preact/hooks';

export interface FleetColumn<Row> {
  label: string;
  hint?: string;
  value(row: Row): number | string;
  show?(row: Row): ComponentChildren;
}

interface Properties<Row> {
  label: string;
  columns: FleetColumn<Row>[];
  rows: Row[];
  /** column that sorts first */
  sort: number;
  pick?(row: Row): void;
  pickHint?: string;
}

const mostShown = 25;

export function SortedTable<Row>({ label, columns, rows, sort, pick, pickHint }: Properties<Row>) {
  const [order, setOrder] = useState({ column: sort, ascending: false });
  const [all, setAll] = useState(false);
  const sorted = useMemo(() => {
    const { value } = columns[Math.min(order.column, columns.length - 1)]!;
    return Array.from(orderOf(rows.map(value), order.ascending), (at) => rows[at]!);
  }, [rows, order, columns]);
  const shown = all ? sorted : sorted.slice(0, mostShown);
  const isText = (column: FleetColumn<Row>) => rows.length > 0 && typeof column.value(rows[0]!) === 'string';
  return (
    <div class="fleet-table" tabIndex={0} role="region" aria-label={label}>
      <table>
        <thead>
          <tr>
            {columns.map((column, i) => (
              <th
                key={column.label}
                class={isText(column) ? 'text' : ''}
                aria-sort={order.column === i ? (order.ascending ? 'ascending' : 'descending') : undefined}>
                <button
                  title={column.hint}
                  onClick={() => setOrder({ column: i, ascending: order.column === i ? !order.ascending : isText(column) })}>
                  {column.label}
                  {order.column === i && <span aria-hidden="true">{order.ascending ? ' ▲' : ' ▼'}</span>}
                </button>
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {shown.map((row, i) => (
            <tr key={i}>
              {columns.map((column, at) => (
                <td key={column.label} class={isText(column) ? 'text' : ''} title={isText(column) ? String(column.value(row)) : undefined}>
                  {at === 0 && pick ? (
                    <button class="link" title={pickHint} onClick={() => pick(row)}>
                      {column.show ? column.show(row) : column.value(row)}
                    </button>
                  ) : column.show ? (
                    column.show(row)
                  ) : (
                    column.value(row)
                  )}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
      {sorted.length > shown.length && (
        <button class="link more" onClick={() => setAll(true)}>
          Show all {sorted.length.toLocaleString('en-US')}
        </button>
      )}
    </div>
  );
}
