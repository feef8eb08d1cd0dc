// SPDX-License-Identifier: Apache-2.0
import { type Dimension, dimensions } from './contract.ts';
import { dayOf, dayText } from './numbers.ts';
import { everything, type Fleet, type FleetFilter, type Measure } from './totals.ts';

const labels: Record<Dimension, string> = { user: 'User', queue: 'Queue', job: 'Job', engine: 'Engine', sparkVersion: 'Spark' };
const measures: [Measure, string][] = [
  ['core', 'core-hours'],
  ['gb', 'GB-hours'],
  ['cost', 'cost'],
];

interface Properties {
  fleet: Fleet;
  filter: FleetFilter;
  setFilter(filter: FleetFilter): void;
  measure: Measure;
  setMeasure(measure: Measure): void;
}

export function FleetFilterBar({ fleet, filter, setFilter, measure, setMeasure }: Properties) {
  const setValue = (name: Dimension, text: string) => {
    const { [name]: _, ...others } = filter.values;
    setFilter({ ...filter, values: text === '' ? others : { ...others, [name]: Number(text) } });
  };
  return (
    <form class="fleet-filter" aria-label="Filter" onSubmit={(event) => event.preventDefault()}>
      <label>
        In
        <select value={measure} onChange={(event) => setMeasure(event.currentTarget.value as Measure)}>
          {measures
            .filter(([name]) => name !== 'cost' || fleet.hasCost)
            .map(([name, label]) => (
              <option key={name} value={name}>
                {label}
              </option>
            ))}
        </select>
      </label>
      {dimensions.map((name) => (
        <label key={name}>
          {labels[name]}
          <select value={filter.values[name] ?? ''} onChange={(event) => setValue(name, event.currentTarget.value)}>
            <option value="">all</option>
            {fleet.data.values[name].map((value, number) => (
              <option key={value} value={number}>
                {value || 'unknown'}
              </option>
            ))}
          </select>
        </label>
      ))}
      {fleet.data.rules.length > 0 && (
        <label>
          Finding
          <select
            value={filter.rule ?? ''}
            onChange={({ currentTarget: { value } }) => setFilter({ ...filter, rule: value === '' ? null : Number(value) })}>
            <option value="">all</option>
            {fleet.data.rules.map(({ rule }, number) => (
              <option key={rule} value={number}>
                {rule}
              </option>
            ))}
          </select>
        </label>
      )}
      <label>
        From
        <input
          type="date"
          value={filter.from === null ? '' : dayText(filter.from)}
          onChange={(event) => setFilter({ ...filter, from: dayOf(event.currentTarget.value) })}
        />
      </label>
      <label>
        To
        <input
          type="date"
          value={filter.to === null ? '' : dayText(filter.to)}
          onChange={(event) => setFilter({ ...filter, to: dayOf(event.currentTarget.value) })}
        />
      </label>
      {filter.among && (
        <button type="button" class="chip" title="Remove this filter" onClick={() => setFilter({ ...filter, among: null })}>
          {filter.among.label} ×
        </button>
      )}
      <button type="button" onClick={() => setFilter(everything)} disabled={filter === everything}>
        Clear
      </button>
    </form>
  );
}
