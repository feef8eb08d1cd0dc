// SPDX-License-Identifier: Apache-2.0
import { query, setQuery } from '../server/query.ts';
import { type Dimension, dimensions } from './contract.ts';
import { filterNames, nameOf } from './filter_address.ts';
import { jobText } from './numbers.ts';
import type { Fleet, Measure } from './totals.ts';

const labels: Record<Dimension, string> = { user: 'User', queue: 'Queue', job: 'Job', engine: 'Engine', sparkVersion: 'Spark' };
/** the unit of totals, `in` in the address */
export const measures: [Measure, string][] = [
  ['core', 'core-hours'],
  ['gb', 'GB-hours'],
  ['cost', 'cost'],
];

export function FleetFilterBar({ fleet, measure }: { fleet: Fleet; measure: Measure }) {
  const parameters = query.value;
  const among = parameters.get('among');
  const choice = (name: string, label: string, values: string[]) => (
    <label key={name}>
      {label}
      <select value={parameters.get(name) ?? ''} onChange={(event) => setQuery({ [name]: event.currentTarget.value }, true)}>
        <option value="">all</option>
        {values.map((value) => (
          <option key={value} value={value}>
            {name === 'job' ? jobText(value) : value}
          </option>
        ))}
      </select>
    </label>
  );
  const day = (name: string, label: string) => (
    <label>
      {label}
      <input type="date" value={parameters.get(name) ?? ''} onChange={(event) => setQuery({ [name]: event.currentTarget.value }, true)} />
    </label>
  );
  return (
    <form class="fleet-filter" aria-label="Filter" onSubmit={(event) => event.preventDefault()}>
      <label>
        In
        <select value={measure} onChange={(event) => setQuery({ in: event.currentTarget.value }, true)}>
          {measures
            .filter(([name]) => name !== 'cost' || fleet.hasCost)
            .map(([name, label]) => (
              <option key={name} value={name}>
                {label}
              </option>
            ))}
        </select>
      </label>
      {dimensions.map((name) => choice(name, labels[name], fleet.data.values[name].map(nameOf)))}
      {fleet.data.rules.length > 0 &&
        choice(
          'finding',
          'Finding',
          fleet.data.rules.map(({ rule }) => rule),
        )}
      {day('from', 'From')}
      {day('to', 'To')}
      {among && (
        <button type="button" class="chip" title="Remove this filter" onClick={() => setQuery({ among: null }, true)}>
          {among} ×
        </button>
      )}
      <button
        type="button"
        onClick={() => setQuery(Object.fromEntries(filterNames.map((name) => [name, null])), true)}
        disabled={!filterNames.some((name) => parameters.has(name))}>
        Clear
      </button>
    </form>
  );
}
