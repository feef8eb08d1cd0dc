// SPDX-License-Identifier: Apache-2.0
// The log records of the report: their texts, what a selection lets through, the record at a moment.
import type { Logs } from '../data/contract.ts';
import { firstPlace } from './first_place.ts';
import { compilePattern } from './search.ts';

const decoder = new TextDecoder();

export function textOf(logs: Logs, row: number): string {
  const begin = row === 0 ? 0 : logs.records.end[row - 1]!;
  return decoder.decode(logs.text.subarray(begin, logs.records.end[row]!));
}

export interface LogFilter {
  /** positions in `logs.levels`; empty = all */
  levels: ReadonlySet<number>;
  executors: Uint8Array | null;
  from?: number;
  to?: number;
  /** -1 = all */
  template: number;
  search: string;
}

/** Rows that match the filter, in order of time. An invalid pattern matches everything. */
export function filterLogs(logs: Logs, filter: LogFilter): Uint32Array {
  const { time, level, executor, template } = logs.records;
  let pattern: RegExp | null = null;
  try {
    pattern = filter.search ? compilePattern(filter.search) : null;
  } catch {
    // the search field reports the error
  }
  const rows = new Uint32Array(time.length);
  let count = 0;
  for (let row = 0; row < time.length; row++) {
    if (filter.levels.size > 0 && !filter.levels.has(level[row]!)) continue;
    if (filter.from !== undefined && time[row]! < filter.from) continue;
    if (filter.to !== undefined && time[row]! > filter.to) continue;
    if (filter.executors && (executor[row]! < 0 || !filter.executors[executor[row]!])) continue;
    if (filter.template >= 0 && template[row] !== filter.template) continue;
    if (pattern && !pattern.test(textOf(logs, row))) continue;
    rows[count++] = row;
  }
  return rows.subarray(0, count);
}

/** Position in `rows` of the first record at or after `moment`; the last one when all are before. */
export function placeOf(logs: Logs, rows: ArrayLike<number>, moment: number): number {
  const first = firstPlace(rows.length, (place) => logs.records.time[rows[place]!]! >= moment);
  return Math.min(first, Math.max(0, rows.length - 1));
}

/** Counts of each template over `buckets` equal parts of `duration`. */
export function templateCurves(logs: Logs, duration: number, buckets: number): Map<number, Float64Array> {
  const { bucketMs, template, bucket, count } = logs.templateTimes;
  const curves = new Map<number, Float64Array>();
  for (let i = 0; i < template.length; i++) {
    let curve = curves.get(template[i]!);
    if (!curve) curves.set(template[i]!, (curve = new Float64Array(buckets)));
    const at = Math.floor((((bucket[i]! + 0.5) * bucketMs) / Math.max(1, duration)) * buckets);
    curve[Math.min(buckets - 1, Math.max(0, at))]! += count[i]!;
  }
  return curves;
}

export const isBad = (level: string) => level === 'ERROR' || level === 'FATAL';
