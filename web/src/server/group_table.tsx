// SPDX-License-Identifier: Apache-2.0
// A table of a group's page: an answer of the server as rows, or why there are none.
import type { ComponentChildren } from 'preact';
import { DataTable, type Column } from '../views/data_table.tsx';
import { getJson } from './api.ts';
import { Problem } from './chrome.tsx';
import { usePolled } from './poll.ts';
import { exactMoment, moment } from './times.ts';

interface Properties<Answer> {
  url: string;
  label: string;
  sort: string;
  rowsOf(answer: Answer): unknown[];
  columnsOf(answer: Answer): Column[];
  /** null: there is no answer yet */
  above?(answer: Answer | null): ComponentChildren;
  empty: ComponentChildren;
}

export function GroupTable<Answer>({ url, label, sort, rowsOf, columnsOf, above, empty }: Properties<Answer>) {
  const { value, error } = usePolled(url, (signal) => getJson<Answer>(url, signal));
  const rows = value ? rowsOf(value).map((_, row) => row) : [];
  return (
    <main class="list-page">
      {above?.(value)}
      <Problem error={error} />
      {!value ? (
        !error && <p class="loading">Loading…</p>
      ) : rows.length === 0 ? (
        <p class="empty">{empty}</p>
      ) : (
        <DataTable label={label} columns={columnsOf(value)} rows={rows} sort={sort} />
      )}
    </main>
  );
}

export const momentColumn = (id: string, label: string, ms: (row: number) => number): Column => ({
  id,
  label,
  width: '96px',
  value: ms,
  show: (row) => moment(ms(row), Date.now()),
  title: (row) => exactMoment(ms(row)),
});
