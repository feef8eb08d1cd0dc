// SPDX-License-Identifier: Apache-2.0
// Measures, days and names as the page shows them.
import { hours, money } from '../state/format.ts';
import { plural } from '../views/text.ts';
import { dayMs, type Fleet, type Measure, type Total } from './totals.ts';

export const dayText = (day: number) => new Date(day * dayMs).toISOString().slice(0, 10);
export const dayOf = (text: string) => (text ? Math.floor(Date.parse(text) / dayMs) : null);

/** With its unit, as heads of columns have it. */
export const withUnit = (name: string, currency: string) => `${name}${currency && `, ${currency}`}`;
export const measureName = (measure: Measure, currency: string) =>
  measure === 'cost' ? withUnit('cost', currency) : measure === 'core' ? 'core-hours' : 'GB-hours';
export const measureText = (measure: Measure, value: number, currency: string) =>
  measure === 'cost' ? money(value, currency) : `${hours(value)} ${measureName(measure, currency)}`;

/** A job's name without the places of its dates and numbers: `daily_sales_*` is "daily_sales". */
export const jobText = (job: string) => job.replaceAll(/^[\W_]*\*[\W_]*|[\W_]*\*[\W_]*$/g, '').replaceAll('*', '…') || job;

export const factsOf = ({ size, data: { failed } }: Fleet) => `${plural(size, 'application')} · ${plural(failed, 'log')} failed`;

/** The measure's share that did no work; memory and money are wasted like the cores. */
export const wastedOf = (total: Total, measure: Measure) =>
  measure === 'core' ? total.wasted : total.core > 0 ? (total[measure] * total.wasted) / total.core : 0;

const mostDates = 9;
const steps = [1, 2, 7, 14, 28, 91, 182, 364];

/** Days with a date below them: every so many from the first on. */
export function datedDays(first: number, last: number): number[] {
  const count = last - first + 1;
  const step = steps.find((days) => count / days <= mostDates) ?? Math.ceil(count / mostDates);
  return Array.from({ length: Math.ceil(count / step) }, (_unused, at) => first + at * step);
}
