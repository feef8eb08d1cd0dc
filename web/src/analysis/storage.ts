// SPDX-License-Identifier: Apache-2.0
// What cached RDDs hold over time, on top of each other.
import type { StoredRdd } from '../data/contract.ts';
import { align, type CurveData, type Line } from './time/curves.ts';
import { firstAfter } from './first_place.ts';

/** More are hard to distinguish; the others are one area. */
const shownRdds = 7;

export type StoredColumn = 'memoryBytes' | 'diskBytes';

/** Size of an RDD at a time, ms since the application's start; 0 where that is not known. */
export function storedAt({ stored }: StoredRdd, column: StoredColumn | 'partitions', ms: number): number {
  const at = stored ? firstAfter(stored.time, ms) - 1 : -1;
  return at < 0 ? 0 : stored![column][at]!;
}

/** One area for each of the largest RDDs; null where nothing was stored there. */
export function storageCurve(rdds: StoredRdd[], column: StoredColumn, label: string, end: number): CurveData | null {
  const peak = (rdd: StoredRdd) => rdd.stored![column].reduce((a, b) => Math.max(a, b), 0);
  const holding = rdds.filter((rdd) => rdd.stored && peak(rdd) > 0).sort((a, b) => peak(b) - peak(a));
  if (holding.length === 0) return null;
  const time = [...new Set([0, ...holding.flatMap(({ stored }) => Array.from(stored!.time)), end])].sort((a, b) => a - b);
  // in the charts of memory and of disk an RDD has one color
  const sizeOf = ({ peakMemoryUsed = 0, peakDiskUsed = 0 }: StoredRdd) => peakMemoryUsed + peakDiskUsed;
  const bySize = [...rdds].sort((a, b) => sizeOf(b) - sizeOf(a));
  const line = (name: string, of: StoredRdd[], color = bySize.indexOf(of[0]!)): Line => ({
    label: name,
    executor: -1,
    python: false,
    steps: true,
    time,
    color,
    value: time.map((ms) => of.reduce((sum, rdd) => sum + storedAt(rdd, column, ms), 0)),
  });
  const lines = holding
    .slice(0, shownRdds)
    .map((rdd) => line(nameOf(rdd), [rdd]))
    .reverse();
  const others = holding.slice(shownRdds);
  if (others.length > 0) lines.unshift(line(`${others.length} others`, others, shownRdds));
  return { name: `storage.${column}`, label, unit: 'bytes', lines, aligned: align(lines), stacked: true };
}

/** Spark names the rows of a DataFrame by their plan, on several lines. */
export function nameOf({ id, name }: StoredRdd): string {
  return `${id} ${name.replace(/\s+/g, ' ').trim()}`.trim();
}
