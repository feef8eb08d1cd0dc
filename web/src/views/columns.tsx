// SPDX-License-Identifier: Apache-2.0
// Columns that many tables have.
import { amount, clock, exact } from '../state/format.ts';
import type { Column } from './data_table.tsx';
import { Amount } from './amount.tsx';

type Numbers = (row: number) => number | null | undefined;

/** An amount with its unit. Zero, and what is not known, is a dash. */
export const amountColumn = (id: string, label: string, unit: string, value: Numbers, width = '90px', hint?: string): Column => ({
  id,
  label,
  hint,
  width,
  unit,
  value: (row) => value(row) ?? '',
  show: (row) => <Amount value={value(row)} unit={unit} />,
  title: (row) => exact(value(row), unit),
});

/** An amount of which zero is a value like others. */
export const plainColumn = (id: string, label: string, unit: string, value: Numbers, width = '90px', hint?: string): Column => ({
  ...amountColumn(id, label, unit, value, width, hint),
  show: (row) => amount(value(row), unit),
});

/** A moment, ms since the application's start; null where there is none. */
export const clockColumn = (id: string, label: string, ms: Numbers, date: (ms: number) => string, width = '84px'): Column => ({
  id,
  label,
  width,
  unit: 'ms',
  value: (row) => ms(row) ?? '',
  show: (row) => {
    const time = ms(row);
    return time === null || time === undefined ? <span class="quiet">–</span> : clock(Math.max(0, time));
  },
  title: (row) => date(ms(row) ?? NaN),
});
