// SPDX-License-Identifier: Apache-2.0
import { amount, exact, share } from '../state/format.ts';
import type { Column } from '../views/data_table.tsx';
import { FunctionName } from '../views/flame/function_name.tsx';
import { api, part } from './api.ts';
import type { GroupFunctions } from './contract.ts';
import { events } from './flame_panel.tsx';
import type { GroupProperties } from './group_properties.ts';
import { GroupTable } from './group_table.tsx';
import { setQuery } from './query.ts';

function columnsOf({ functions, total, unit }: GroupFunctions): Column[] {
  const weight = (key: 'self' | 'total', label: string): Column => ({
    id: key,
    label,
    width: '150px',
    value: (row) => functions[row]![key],
    title: (row) => exact(functions[row]![key], unit),
    show: (row) => (
      <span class="cell-bar">
        <i style={{ width: `${((100 * functions[row]![key]) / (total || 1)).toFixed(2)}%` }} />
        <span>{amount(functions[row]![key], unit)}</span>
        <span class="cell-share">{share(functions[row]![key] / (total || 1))}</span>
      </span>
    ),
  });
  return [
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
}

/** Cost of each function in all applications of the group. */
export const GroupFunctionTable = ({ group, from, to, event }: GroupProperties) => (
  <GroupTable<GroupFunctions>
    url={api(`/groups/${part(group)}/functions`, { event, from, to })}
    label="Functions"
    sort="self"
    rowsOf={({ functions }) => functions}
    columnsOf={columnsOf}
    above={(answer) => (
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
        {answer && (
          <span class="quiet">
            {amount(answer.total, answer.unit)} in all; the {answer.functions.length} most expensive functions by self{' '}
            {answer.unit === 'bytes' ? 'size' : 'time'}
          </span>
        )}
      </section>
    )}
    empty="No samples of this event in this time range."
  />
);
