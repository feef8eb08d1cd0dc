// SPDX-License-Identifier: Apache-2.0
import { amount, exact, share } from '../state/format.ts';
import { DataTable, type Column } from '../views/data_table.tsx';
import { FunctionName } from '../views/flame/function_name.tsx';
import { api, getJson, part } from './api.ts';
import { Problem } from './chrome.tsx';
import type { GroupFunctions } from './contract.ts';
import { events } from './flame_panel.tsx';
import type { GroupProperties } from './group_properties.ts';
import { usePolled } from './poll.ts';
import { setQuery } from './query.ts';

/** Cost of each function in all applications of the group. */
export function GroupFunctionTable({ group, from, to, event }: GroupProperties) {
  const url = api(`/groups/${part(group)}/functions`, { event, from, to });
  const { value, error } = usePolled(url, (signal) => getJson<GroupFunctions>(url, signal));
  const functions = value?.functions ?? [];
  const unit = value?.unit ?? 'ns';
  const weight = (key: 'self' | 'total', label: string): Column => ({
    id: key,
    label,
    width: '150px',
    value: (row) => functions[row]![key],
    title: (row) => exact(functions[row]![key], unit),
    show: (row) => (
      <span class="cell-bar">
        <i style={{ width: `${((100 * functions[row]![key]) / (value?.total || 1)).toFixed(2)}%` }} />
        <span>{amount(functions[row]![key], unit)}</span>
        <span class="cell-share">{share(functions[row]![key] / (value?.total || 1))}</span>
      </span>
    ),
  });
  const columns: Column[] = [
    {
      id: 'name',
      label: 'Function',
      text: true,
      value: (row) => functions[row]!.name,
      title: (row) => functions[row]!.name,
      show: (row) => <FunctionName name={functions[row]!.name} />,
    },
    weight('self', 'Self'),
    weight('total', 'Total'),
  ];
  return (
    <main class="list-page">
      <section class="selection" aria-label="Event">
        <label>
          Event{' '}
          <select
            value={event}
            onChange={(change) => setQuery({ event: change.currentTarget.value === 'cpu' ? null : change.currentTarget.value })}>
            {events.map(({ name, label }) => (
              <option key={name} value={name}>
                {label}
              </option>
            ))}
          </select>
        </label>
        {value && (
          <span class="quiet">
            {amount(value.total, unit)} in all; the {functions.length} most expensive functions by self {unit === 'bytes' ? 'size' : 'time'}
          </span>
        )}
      </section>
      <Problem error={error} />
      {value && functions.length === 0 ? (
        <p class="empty">No samples of this event in this time range.</p>
      ) : value ? (
        <DataTable label="Functions" columns={columns} rows={functions.map((_function, row) => row)} sort="self" />
      ) : (
        !error && <p class="loading">Loading…</p>
      )}
    </main>
  );
}
