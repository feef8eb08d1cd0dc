// SPDX-License-Identifier: Apache-2.0
// Which of the sizes of a stage's tasks goes best with how long they took.
import { durationOf } from './phases.ts';
import type { Tasks } from '../data/contract.ts';

/** of the largest: values that differ by less are the same to the reader */
const sameShare = 0.05;
/** tasks; more say the same */
const enough = 20_000;

/** Sizes that go worse with durations do not explain them. */
const least = 0.2;

/** How well one size goes with the durations, from 0 to 1. */
function correlation(values: ArrayLike<number>, tasks: Tasks, rows: number[]): number {
  const step = Math.ceil(rows.length / enough);
  let [n, x, y, xx, yy, xy] = [0, 0, 0, 0, 0, 0];
  for (let at = 0; at < rows.length; at += step) {
    const value = values[rows[at]!]!;
    const duration = durationOf(tasks, rows[at]!);
    n++;
    x += value;
    y += duration;
    xx += value * value;
    yy += duration * duration;
    xy += value * duration;
  }
  const spread = (n * xx - x * x) * (n * yy - y * y);
  return spread > 0 ? Math.abs(n * xy - x * y) / Math.sqrt(spread) : 0;
}

/** Whether the tasks differ in a size: else its axis would show one column of points. */
export function varies(values: ArrayLike<number>, rows: number[]): boolean {
  let [smallest, largest] = [Infinity, 0];
  for (const row of rows) {
    smallest = Math.min(smallest, values[row]!);
    largest = Math.max(largest, values[row]!);
  }
  return largest - smallest >= sameShare * largest && largest > 0;
}

/** One of `names`, sizes that vary in order of preference among equals; undefined if none explains durations. */
export function tellingMetric(tasks: Tasks, names: string[], rows: number[]): string | undefined {
  let found: string | undefined;
  let best = least;
  for (const name of names) {
    const own = correlation(tasks[name]!, tasks, rows);
    if (own <= best) continue;
    best = own;
    found = name;
  }
  return found;
}
