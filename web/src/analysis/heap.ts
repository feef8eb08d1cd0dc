// SPDX-License-Identifier: Apache-2.0
// Heap summaries: the largest classes over time, and the difference of two times.
import type { Heap } from '../data/contract.ts';
import type { Model } from '../data/model.ts';
import { align, type CurveData, type Line } from './time/curves.ts';

/** A class in all chosen JVMs: at each one's last summary in a range of time, and at its first one. */
export interface HeapClassRow {
  name: string;
  bytes: number;
  instances: number;
  bytesBefore: number;
  instancesBefore: number;
}

export interface HeapChange {
  rows: HeapClassRow[];
  total: HeapClassRow;
}

/** More are hard to distinguish; the others are one area. */
const shownClasses = 7;

/** Rows of the summaries of the chosen executors in a range (ms since the application's start), ends included. */
export function summariesIn(model: Model, heap: Heap, executors: Uint8Array | null, from = -Infinity, to = Infinity): number[] {
  return heap.summaries.flatMap(({ time, executor }, row) => {
    const at = model.relative(time);
    return (!executors || executors[executor]) && at >= from && at <= to ? [row] : [];
  });
}

/** Their times, ms since the application's start, each once, rising. */
export function timesOf(model: Model, heap: Heap, summaries: number[]): number[] {
  return [...new Set(summaries.map((row) => model.relative(heap.summaries[row]!.time)))].sort((a, b) => a - b);
}

/** A time to choose: from the first to the last of times that are hard to distinguish, such as those of several JVMs. */
export interface TimeChoice {
  first: number;
  last: number;
}

const mostChoices = 100;

export function timeChoices(model: Model, times: number[]): TimeChoice[] {
  const choices: TimeChoice[] = [];
  for (const time of times) {
    const current = choices.at(-1);
    if (current && time - current.first < model.duration / mostChoices) current.last = time;
    else choices.push({ first: time, last: time });
  }
  return choices;
}

/** Compares the first summary of each JVM among these with its last one, as `sparkprof show heap` does. */
export function changeOf(heap: Heap, summaries: number[]): HeapChange {
  const first = new Map<number, number>();
  const last = new Map<number, number>();
  for (const row of summaries) {
    const { executor } = heap.summaries[row]!;
    if (!first.has(executor)) first.set(executor, row);
    last.set(executor, row);
  }
  const empty = (name: string): HeapClassRow => ({ name, bytes: 0, instances: 0, bytesBefore: 0, instancesBefore: 0 });
  const total = empty('All classes');
  for (const row of last.values()) {
    total.bytes += heap.summaries[row]!.bytes;
    total.instances += heap.summaries[row]!.instances;
  }
  for (const row of first.values()) {
    total.bytesBefore += heap.summaries[row]!.bytes;
    total.instancesBefore += heap.summaries[row]!.instances;
  }
  const isFirst = new Set(first.values());
  const isLast = new Set(last.values());
  const byClass = new Map<number, HeapClassRow>();
  const { summary, class: classes, bytes, instances } = heap.rows;
  for (let i = 0; i < summary.length; i++) {
    const starts = isFirst.has(summary[i]!);
    const ends = isLast.has(summary[i]!);
    if (!starts && !ends) continue;
    let row = byClass.get(classes[i]!);
    if (!row) byClass.set(classes[i]!, (row = empty(heap.classes[classes[i]!]!)));
    if (starts) {
      row.bytesBefore += bytes[i]!;
      row.instancesBefore += instances[i]!;
    }
    if (ends) {
      row.bytes += bytes[i]!;
      row.instances += instances[i]!;
    }
  }
  return { rows: [...byClass.values()], total };
}

/** The classes that grew most, the largest growth first; empty where none did. */
export function grownClasses({ rows }: HeapChange, most: number): { name: string; bytes: number }[] {
  return rows
    .map(({ name, bytes, bytesBefore }) => ({ name, bytes: bytes - bytesBefore }))
    .filter(({ bytes }) => bytes > 0)
    .sort((a, b) => b.bytes - a.bytes)
    .slice(0, most);
}

/** The largest classes of these summaries over time, summed over JVMs, on top of each other; the others are the first line. */
export function heapCurve(model: Model, heap: Heap, summaries: number[]): CurveData | null {
  if (summaries.length === 0) return null;
  const chosen = new Set(summaries);
  const bytesOf = new Map<number, Map<number, number>>(); // class → summary → bytes
  const { summary, class: classes, bytes } = heap.rows;
  for (let i = 0; i < summary.length; i++) {
    if (!chosen.has(summary[i]!)) continue;
    let of = bytesOf.get(classes[i]!);
    if (!of) bytesOf.set(classes[i]!, (of = new Map()));
    of.set(summary[i]!, bytes[i]!);
  }
  const largest = [...bytesOf]
    .map(([name, of]) => ({ name, of, most: Math.max(...of.values()) }))
    .sort((a, b) => b.most - a.most)
    .slice(0, shownClasses);
  const line = (label: string, bytesAt: (row: number) => number): Line => ({
    label,
    executor: -1,
    python: false,
    ...sumOfJvms(model, heap, summaries, bytesAt),
  });
  const lines = largest.map(({ name, of }) => line(heap.classes[name]!, (row) => of.get(row) ?? 0)).reverse();
  const others = (row: number) => heap.summaries[row]!.bytes - largest.reduce((sum, { of }) => sum + (of.get(row) ?? 0), 0);
  lines.unshift(line('other classes', others));
  return { name: 'heap.classes', label: 'Heap by class', unit: 'bytes', lines, aligned: align(lines), stacked: true };
}

/** Each JVM keeps its last value until it has another one or its executor is removed. */
function sumOfJvms(model: Model, heap: Heap, summaries: number[], bytesAt: (row: number) => number): { time: number[]; value: number[] } {
  const time = timesOf(model, heap, summaries);
  const value = new Array<number>(time.length).fill(0);
  for (const executor of new Set(summaries.map((row) => heap.summaries[row]!.executor))) {
    const rows = summaries.filter((row) => heap.summaries[row]!.executor === executor);
    const removed = model.report.executors[executor]?.removeTime;
    const end = removed ? model.relative(removed) : Infinity;
    let next = 0;
    for (let at = 0; at < time.length; at++) {
      while (next < rows.length && model.relative(heap.summaries[rows[next]!]!.time) <= time[at]!) next++;
      if (next > 0 && (next < rows.length || time[at]! <= end)) value[at]! += bytesAt(rows[next - 1]!);
    }
  }
  return { time, value };
}

/** Each column with all that follow it: where the lines are drawn, the last one at the bottom. Lines apart stay. */
export function onTopOfEachOther({ aligned: [time, ...columns], lines }: Pick<CurveData, 'aligned' | 'lines'>): CurveData['aligned'] {
  const sums = columns.map((column) => [...column]);
  for (let i = sums.length - 2; i >= 0; i--) {
    if (lines[i]?.apart) continue;
    for (let at = 0; at < time.length; at++) sums[i]![at] = (sums[i]![at] ?? 0) + (sums[i + 1]![at] ?? 0);
  }
  return [time, ...sums];
}
