// SPDX-License-Identifier: Apache-2.0
// Hours, money and days as the page shows them.
import { plural } from '../views/text.ts';
import { dayMs, type Fleet, type Measure, type Total } from './totals.ts';

const hoursFormat = new Intl.NumberFormat('en-US', { maximumSignificantDigits: 3, maximumFractionDigits: 2 });
const wholeFormat = new Intl.NumberFormat('en-US', { maximumFractionDigits: 0 });
const moneyFormat = new Intl.NumberFormat('en-US', { minimumFractionDigits: 2, maximumFractionDigits: 2 });

export const hours = (value: number) => (value >= 1000 ? wholeFormat : hoursFormat).format(value);
export const money = (value: number) => (value >= 1000 ? wholeFormat : moneyFormat).format(value);
export const dayText = (day: number) => new Date(day * dayMs).toISOString().slice(0, 10);
export const dayOf = (text: string) => (text ? Math.floor(Date.parse(text) / dayMs) : null);

export const measureText = (measure: Measure, value: number, currency: string) =>
  measure === 'cost' ? `${money(value)}${currency && ` ${currency}`}` : `${hours(value)} ${measure === 'core' ? 'core-hours' : 'GB-hours'}`;

export const factsOf = ({ size, data: { failed } }: Fleet) => `${plural(size, 'application')} · ${plural(failed, 'log')} failed`;

/** The measure's share that did no work; memory and money are wasted like the cores. */
export const wastedOf = (total: Total, measure: Measure) =>
  measure === 'core' ? total.wasted : total.core > 0 ? (total[measure] * total.wasted) / total.core : 0;
