// SPDX-License-Identifier: Apache-2.0
// Numbers as people read them; `exact` is what a hover shows.
import type { Unit } from '../data/contract.ts';

const digits = (value: number) => (Math.abs(value) >= 100 ? 0 : Math.abs(value) >= 10 ? 1 : 2);
/** Three significant digits, so that numbers in a column end at the same place. */
const trim = (value: number) => value.toFixed(digits(value));
const grouped = new Intl.NumberFormat('en-US', { maximumFractionDigits: 3 });

/** A duration as the command prints it (FormatDuration): a value that rounds to a whole larger unit is shown in that unit. */
export function duration(ns: number): string {
  const size = Math.abs(ns);
  if (size === 0) return '0';
  if (size < 1e3) return `${trim(ns)} ns`;
  if (size < 999.5e3) return `${(ns / 1e3).toFixed(0)} µs`;
  if (size < 999.5e6) return `${(ns / 1e6).toFixed(0)} ms`;
  if (size < 119.95e9) return `${(ns / 1e9).toFixed(1)} s`;
  return size < 3597e9 ? `${(ns / 60e9).toFixed(1)} min` : `${(ns / 3600e9).toFixed(1)} h`;
}

/** A size as the command prints it (FormatBytes). */
export function bytes(value: number): string {
  if (Math.abs(value) < 1024) return `${grouped.format(Math.round(value))} B`;
  const units = ['KiB', 'MiB', 'GiB', 'TiB', 'PiB'];
  let size = value / 1024;
  let unit = 0;
  while (Math.abs(size) >= 1023.5 && unit < units.length - 1) {
    size /= 1024;
    unit++;
  }
  return `${size.toFixed(Math.abs(size) >= 99.95 ? 0 : 1)} ${units[unit]}`;
}

export function count(value: number): string {
  const size = Math.abs(value);
  if (size < 1e4) return grouped.format(Number.isInteger(value) ? value : Number(trim(value)));
  if (size < 1e6) return `${trim(value / 1e3)} k`;
  if (size < 1e9) return `${trim(value / 1e6)} M`;
  return `${trim(value / 1e9)} G`;
}

/** 0.124 -> "12.4%" */
export function share(value: number): string {
  if (!Number.isFinite(value)) return '–';
  const percent = value * 100;
  const size = Math.abs(percent);
  if (size > 0 && size < 0.05) return percent < 0 ? '> -0.1%' : '< 0.1%';
  return `${size >= 99.95 ? Math.round(percent) : percent.toFixed(1)}%`;
}

/** A ratio of two amounts: "36×", "1.5×". */
export const times = (ratio: number) => (ratio >= 100 ? `${Math.round(ratio)}×` : `${ratio.toPrecision(2).replace(/\.0$/, '')}×`);

export function amount(value: number | null | undefined, unit: string): string {
  if (value === null || value === undefined || Number.isNaN(value)) return '–';
  switch (unit as Unit) {
    case 'ns':
      return duration(value);
    case 'bytes':
      return bytes(value);
    case 'cores':
      return `${trim(value)} cores`;
    case 'share':
      return share(value);
    default:
      return count(value);
  }
}

/** Three digits; from 1,000 on all digits before the point. Less than `least` is not nothing. */
const threeDigits = (value: number, least: string) =>
  value > 0 && value < Number(least)
    ? `<${least}`
    : value >= 1000
      ? grouped.format(Math.round(value))
      : String(Number(value.toPrecision(3)));

/** 0.01234 -> "0.0123 USD" */
export const money = (value: number, currency = '') => `${threeDigits(value, '0.00001')} ${currency}`.trim();

/** Core-hours and GB-hours. */
export const hours = (value: number) => threeDigits(value, '0.01');

const exactUnits: Record<string, string> = { ns: ' ns', bytes: ' bytes', cores: ' cores' };
export function exact(value: number | null | undefined, unit: string): string {
  if (value === null || value === undefined) return '';
  return grouped.format(value) + (exactUnits[unit] ?? '');
}

const two = (value: number) => String(value).padStart(2, '0');

const longClock = 119.95e3;

/** ms since the application's start -> "12.3 s"; from 2 minutes on "2:05.3" or "1:02:05" */
export const clock = (ms: number): string =>
  ms >= longClock ? colons(ms, 1) : ms > 0 && ms < 999.5 ? `${Math.round(ms)} ms` : `${rounded(ms / 1e3, 1)} s`;

/** Two moments, written alike, with the digits that tell them apart: "8.3–16.9 s". */
export function clocks(from: number, to: number): string {
  const places = to - from < 100 ? 3 : to - from < 1000 ? 2 : 1;
  if (to >= longClock) return `${colons(from, places)}–${colons(to, places)}`;
  return to < 999.5 ? `${Math.round(from)}–${Math.round(to)} ms` : `${rounded(from / 1e3, places)}–${rounded(to / 1e3, places)} s`;
}

const rounded = (value: number, places: number) => Number(value.toFixed(places));

function colons(ms: number, places: number): string {
  const whole = rounded(ms / 1e3, places);
  const seconds = Math.floor(whole);
  const minutes = Math.floor(seconds / 60);
  const hours = minutes >= 60 ? `${Math.floor(minutes / 60)}:${two(minutes % 60)}` : String(minutes);
  const part = rounded(whole - seconds, places);
  return `${hours}:${two(seconds % 60)}${part ? String(part).slice(1) : ''}`;
}

const firstPlausible = Date.UTC(2000, 0, 1);

/** ms since the Unix epoch -> "2026-11-21 09:30:05.120 UTC"; empty for times that are no dates */
export function date(epochMs: number): string {
  if (!(epochMs > firstPlausible)) return '';
  return new Date(Math.round(epochMs))
    .toISOString()
    .replace('T', ' ')
    .replace(/\.000Z$|Z$/, ' UTC');
}
