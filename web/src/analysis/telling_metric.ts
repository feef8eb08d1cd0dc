// SPDX-License-Identifier: Apache-2.0
// Which of the sizes of a stage's tasks goes best with how long they took.
import { durationOf } from './phases.ts';
import type { Tasks } from '../data/contract.ts';

/** of the largest: values that differ by less are the same to the reader */
const sameShare = 0.02;
/** tasks; more say the same */
const enough = 20_000;

/** Sizes that go worse with durations do not explain them. */
const least = 0.2;

/** How well one size goes with the durations, from 0 to 1; 0 if it is the same for all tasks. */
function correlation(values: ArrayLike<number>, tasks: Tasks, rows: number[]): number {
  const step = Math.ceil(rows.length / enough);
  let [smallest, largest] = [Infinity, 0];
  let [n, x, y, xx, yy, xy] = [0, 0, 0, 0, 0, 0];
  for (let at = 0; at < rows.length; at += step) {
    const value = values[rows[at]!]!;
    const duration = durationOf(tasks, rows[at]!);
    smallest = Math.min(smallest, value);
    largest = Math.max(largest, value);
    n++;
    x += value;
    y += duration;
    xx += value * value;
    yy += duration * duration;
    xy += value * duration;
  }
  if (largest - smallest < sameShare * largest) return 0;
  const spread = (n * xx - x * x) * (n * yy - y * y);
  return spread > 0 ? Math.abs(n * xy - x * y) / Math.sqrt(spread) : 0;
}

/** One of `names`, which are in order of preference among equals; undefined if none explains durations. */
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
