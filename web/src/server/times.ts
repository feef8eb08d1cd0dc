// SPDX-License-Identifier: Apache-2.0
// Moments and time ranges as people read and choose them. All times are local; a hover has the zone.

const clockTime = new Intl.DateTimeFormat('en-GB', { hour: '2-digit', minute: '2-digit', second: '2-digit' });
const shortTime = new Intl.DateTimeFormat('en-GB', { hour: '2-digit', minute: '2-digit' });
const whole = new Intl.DateTimeFormat('en-US', { dateStyle: 'full', timeStyle: 'long' });
const two = (value: number) => String(value).padStart(2, '0');

const dayOf = (date: Date) => `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())}`;

export function clockOf(ms: number): string {
  return clockTime.format(ms);
}

/** "14:05" today, else "11-21 14:05", in another year "2025-11-21". */
export function moment(ms: number, now: number): string {
  if (ms <= 0) return '–';
  const date = new Date(ms);
  if (dayOf(date) === dayOf(new Date(now))) return shortTime.format(date);
  return date.getFullYear() === new Date(now).getFullYear() ? `${dayOf(date).slice(5)} ${shortTime.format(date)}` : dayOf(date);
}

export function exactMoment(ms: number): string {
  return ms > 0 ? whole.format(ms) : 'unknown';
}

/** The value of an input of type datetime-local. */
export function toInput(ms: number): string {
  const date = new Date(ms);
  return `${dayOf(date)}T${two(date.getHours())}:${two(date.getMinutes())}`;
}

export function fromInput(text: string): number | null {
  const ms = new Date(text).getTime();
  return text && Number.isFinite(ms) ? ms : null;
}

export const ranges = [
  { id: '', label: 'any time', ms: 0 },
  { id: '1h', label: 'last hour', ms: 3600e3 },
  { id: '24h', label: 'last 24 hours', ms: 86400e3 },
  { id: '7d', label: 'last 7 days', ms: 7 * 86400e3 },
  { id: '30d', label: 'last 30 days', ms: 30 * 86400e3 },
] as const;

export interface TimeRange {
  from?: number;
  to?: number;
}

const number = (text: string | null) => (text && Number.isFinite(Number(text)) ? Number(text) : undefined);

/** The range of an address: `range=24h`, or `from` and `to`. */
export function rangeOf(parameters: URLSearchParams, now: number): TimeRange {
  const known = ranges.find(({ id }) => id !== '' && id === parameters.get('range'));
  // whole minutes, so that the same link asks the same question for a while
  if (known) return { from: Math.floor((now - known.ms) / 60e3) * 60e3 };
  return { from: number(parameters.get('from')), to: number(parameters.get('to')) };
}

export function rangeText(range: TimeRange, now: number): string {
  if (range.from === undefined && range.to === undefined) return 'any time';
  return `${range.from === undefined ? 'the beginning' : moment(range.from, now)} – ${range.to === undefined ? 'now' : moment(range.to, now)}`;
}
