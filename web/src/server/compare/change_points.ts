// SPDX-License-Identifier: Apache-2.0
// Where the level of a series changes: a clear step (clear_step.ts), or else cumulative sums of ranks, judged by permutations; again in
// each part (binary segmentation). Steps are for few values, ranks for many: together they find a change in fewer than 1% of series
// without one (change_points.test.ts).
import { median } from '../runs.ts';
import { clearestStep, missingRuns, significance as significanceOfSteps, type Step } from '../clear_step.ts';

/** Values without which no change can be found. */
export const leastRuns = 6;
/** Places that a part on each side of a change of ranks must have. */
const least = 3;
const permutations = 999;
const significance = 0.005;

/** The same numbers in each run, so that a page shows the same changes again. */
function generator(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return state / 2 ** 32;
  };
}

/** Ranks resist single outliers; ties share theirs. */
function ranksOf(values: number[]): number[] {
  const sorted = [...values].sort((a, b) => a - b);
  return values.map((value) => (sorted.indexOf(value) + sorted.lastIndexOf(value)) / 2);
}

/** How far the cumulative sum deviates from a constant level at most. */
function deviation(ranks: number[]): number {
  const mean = ranks.reduce((a, b) => a + b, 0) / ranks.length;
  let sum = 0;
  let most = 0;
  for (let i = 1; i < ranks.length; i++) {
    sum += ranks[i - 1]! - mean;
    if (i < least || ranks.length - i < least) continue;
    most = Math.max(most, Math.abs(sum) / Math.sqrt((i * (ranks.length - i)) / ranks.length));
  }
  return most;
}

const distanceFromMedian = (values: number[]) => {
  const middle = median(values);
  return values.reduce((sum, value) => sum + Math.abs(value - middle), 0);
};

/** The place that leaves two levels with the least deviation from their medians. Ranks would miss it by the noise within a level. */
function place(values: number[]): number {
  let best = { at: least, distance: Infinity };
  for (let at = least; at <= values.length - least; at++) {
    const distance = distanceFromMedian(values.slice(0, at)) + distanceFromMedian(values.slice(at));
    if (distance < best.distance) best = { at, distance };
  }
  return best.at;
}

function shuffle(values: number[], random: () => number): number[] {
  const mixed = [...values];
  for (let i = mixed.length - 1; i > 0; i--) {
    const j = Math.floor(random() * (i + 1));
    [mixed[i], mixed[j]] = [mixed[j]!, mixed[i]!];
  }
  return mixed;
}

/** The change of level by ranks, -1 if there is none. */
function changeOfRanks(values: number[], random: () => number): number {
  if (values.length < 2 * least) return -1;
  const ranks = ranksOf(values);
  const observed = deviation(ranks);
  if (observed <= 0) return -1;
  const most = significance * (permutations + 1);
  let asFar = 1;
  for (let i = 0; i < permutations; i++) {
    if (deviation(shuffle(ranks, random)) >= observed - 1e-9 && ++asFar > most) return -1;
  }
  return place(values);
}

/** The indices at which a new level begins, in order. */
export function changePoints(values: number[]): number[] {
  const found: number[] = [];
  const random = generator(7);
  const search = (from: number, to: number) => {
    if (to - from < leastRuns) return;
    const part = values.slice(from, to);
    const step = clearestStep(part);
    const at = step && step.probability <= significanceOfSteps ? step.at : changeOfRanks(part, random);
    if (at < 0) return;
    found.push(from + at);
    search(from, from + at);
    search(from + at, to);
  };
  search(0, values.length);
  return found.sort((a, b) => a - b);
}

/** A step at the end that may be noise, and how many more runs at its level decide. */
export interface Undecided extends Step {
  moreRuns: number;
}

/** The part behind the last change can end with a step that more runs would confirm. */
export function undecidedStep(values: number[], changes: number[]): Undecided | null {
  const from = changes.at(-1) ?? 0;
  const part = values.slice(from);
  if (part.length < leastRuns - 1) return null;
  const step = clearestStep(part, 1);
  const suspicion = 0.02;
  if (!step || step.at < 3 || step.probability > suspicion || Math.abs(Math.log(step.ratio)) < Math.log(1.1)) return null;
  const moreRuns = missingRuns(part, step);
  return moreRuns === null ? null : { ...step, at: from + step.at, moreRuns };
}
