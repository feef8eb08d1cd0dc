// SPDX-License-Identifier: Apache-2.0
// A table of some rows that a click on a head sorts.
import type { ComponentChildren } from 'preact';
import { orderOf } from '../analysis/order.ts';
import { useMemo, useState } from 'preact/hooks';
import { type Change, query } from '../server/query.ts';
import { QueryLink } from '../server/query_link.tsx';
import { LongName } from '../views/long_name.tsx';

export interface FleetColumn<Row> {
  label: string;
  hint?: string;
  /** its texts are no names, and lose their end where they do not fit */
  sentence?: boolean;
  value(row: Row): number | string;
  show?(row: Row): ComponentChildren;
}

interface Properties<Row> {
  label: string;
  columns: FleetColumn<Row>[];
  rows: Row[];
  /** column that sorts first; the address has another one */
  sort: number;
  /** what the first column of a row leads to */
  pick?(row: Row): Change;
  pickHint?: string;
  picked?(): void;
}

const mostShown = 25;

/** Names lose their middle where they do not fit. */
function textOf<Row>({ sentence, show, value }: FleetColumn<Row>, row: Row): ComponentChildren {
  const own = show ? show(row) : value(row);
  return !sentence && typeof own === 'string' && typeof value(row) === 'string' ? <LongName text={own} /> : own;
}

export function SortedTable<Row>({ label, columns, rows, sort, pick, pickHint, picked }: Properties<Row>) {
  const parameter = `sort ${label}`;
  const wanted = query.value.get(parameter) ?? `-${columns[sort]!.label}`;
  const ascending = !wanted.startsWith('-');
  const by = Math.max(
    0,
    columns.findIndex((column) => column.label === wanted.replace(/^-/, '')),
  );
  const [all, setAll] = useState(false);
  const sorted = useMemo(
    () => Array.from(orderOf(rows.map(columns[by]!.value), ascending), (at) => rows[at]!),
    [rows, columns, by, ascending],
  );
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
                aria-sort={by === i ? (ascending ? 'ascending' : 'descending') : undefined}>
                <QueryLink
                  title={column.hint}
                  change={{ [parameter]: `${(by === i ? ascending : !isText(column)) ? '-' : ''}${column.label}` }}>
                  {column.label}
                  {by === i && <span aria-hidden="true">{ascending ? ' ▲' : ' ▼'}</span>}
                </QueryLink>
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
                    <QueryLink class="link" title={pickHint} change={pick(row)} then={picked}>
                      {textOf(column, row)}
                    </QueryLink>
                  ) : (
                    textOf(column, row)
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
