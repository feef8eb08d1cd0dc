// SPDX-License-Identifier: Apache-2.0
// A time range: one of the usual ones up to now, or two moments.
import { useState } from 'preact/hooks';
import { query } from './query.ts';
import { fromInput, rangeOf, ranges, toInput } from './times.ts';

interface Properties {
  label: string;
  /** the range of an address without one, instead of any time */
  otherwise?: string;
  change(change: { range: string | null; from: number | null; to: number | null }): void;
}

export function RangeSelect({ label, otherwise = '', change }: Properties) {
  const parameters = query.value;
  const fixed = parameters.has('from') || parameters.has('to');
  const [open, setOpen] = useState(false);
  const custom = fixed || open;
  const { from, to } = rangeOf(parameters, Date.now());
  return (
    <span class="range">
      <label>
        {label}{' '}
        <select
          value={custom ? 'custom' : (parameters.get('range') ?? otherwise)}
          onChange={(event) => {
            const { value } = event.currentTarget;
            setOpen(value === 'custom');
            if (value !== 'custom') change({ range: value || null, from: null, to: null });
          }}>
          {ranges
            .filter(({ id }) => id !== '' || otherwise === '')
            .map((range) => (
              <option key={range.id} value={range.id}>
                {range.label}
              </option>
            ))}
          <option value="custom">from – to</option>
        </select>
      </label>
      {custom && (
        <>
          <input
            type="datetime-local"
            aria-label="From"
            value={from === undefined ? '' : toInput(from)}
            onChange={(event) => change({ range: null, from: fromInput(event.currentTarget.value), to: to ?? null })}
          />
          –
          <input
            type="datetime-local"
            aria-label="To"
            value={to === undefined ? '' : toInput(to)}
            onChange={(event) => change({ range: null, from: from ?? null, to: fromInput(event.currentTarget.value) })}
          />
        </>
      )}
    </span>
  );
}
