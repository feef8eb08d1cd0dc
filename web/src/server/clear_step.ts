// SPDX-License-Identifier: Apache-2.0
// Whether a short series has a step: Student's t test of the logarithms, at the place where it is largest. Ranks alone cannot decide
// with fewer than about twelve values: of six, one order in ten has the three highest at one end.

/** Values that a level must have. */
export const leastOfLevel = 2;
/** Limit of the probability that noise without a step looks like one. */
export const significance = 0.004;
/** Runs of the same code differ by at least this much, as a share. */
const leastSpread = 0.02;

export interface Step {
  /** index of the first value of the new level */
  at: number;
  /** the new level as a multiple of the old one */
  ratio: number;
  /** that noise has such a step anywhere in the series */
  probability: number;
}

/** Two-sided, of Student's distribution with a whole number of degrees of freedom (Abramowitz and Stegun, 26.7.3 and 26.7.4). */
export function studentProbability(t: number, freedom: number): number {
  const angle = Math.atan(Math.abs(t) / Math.sqrt(freedom));
  const [sine, cosine] = [Math.sin(angle), Math.cos(angle)];
  const isOdd = freedom % 2 === 1;
  let term = isOdd ? cosine : 1;
  let sum = freedom === 1 ? 0 : term;
  for (let i = isOdd ? 2 : 1; i <= freedom - 3; i += 2) {
    term *= (i / (i + 1)) * cosine ** 2;
    sum += term;
  }
  return Math.max(0, isOdd ? 1 - (2 / Math.PI) * (angle + sine * sum) : 1 - sine * sum);
}

const mean = (values: number[]) => values.reduce((sum, value) => sum + value, 0) / values.length;
const places = (count: number) => Math.max(1, count - 2 * leastOfLevel + 1);

/** Standard deviation within two levels. */
function spread(before: number[], after: number[]): number {
  const squares = [before, after].map((level) => level.reduce((sum, value) => sum + (value - mean(level)) ** 2, 0));
  return Math.max(leastSpread, Math.sqrt((squares[0]! + squares[1]!) / (before.length + after.length - 2)));
}

const standardError = (before: number, after: number) => Math.sqrt(1 / before + 1 / after);

/** Every value of one side is above every value of the other: single outliers are not a level. */
function areApart(before: number[], after: number[]): boolean {
  return Math.max(...before) < Math.min(...after) || Math.max(...after) < Math.min(...before);
}

/** The clearest step of all that leave `least` values on each side; null if the levels overlap everywhere. All values must be positive. */
export function clearestStep(values: number[], least = leastOfLevel): Step | null {
  if (values.some((value) => value <= 0)) return null;
  const logarithms = values.map(Math.log);
  let clearest: (Step & { t: number }) | null = null;
  for (let at = least; at <= values.length - least; at++) {
    const [before, after] = [logarithms.slice(0, at), logarithms.slice(at)];
    if (!areApart(before, after)) continue;
    const change = mean(after) - mean(before);
    const t = Math.abs(change) / (spread(before, after) * standardError(before.length, after.length));
    if (clearest && t <= clearest.t) continue;
    clearest = {
      at,
      ratio: Math.exp(change),
      t,
      probability: Math.min(1, studentProbability(t, values.length - 2) * places(values.length)),
    };
  }
  return clearest;
}

/** How many more values at its level make the step significant; null if no reasonable number does. */
export function missingRuns(values: number[], { at, ratio }: Step): number | null {
  const logarithms = values.map(Math.log);
  const deviation = spread(logarithms.slice(0, at), logarithms.slice(at));
  for (let more = 1; more <= 20; more++) {
    const [count, after] = [values.length + more, values.length - at + more];
    if (after < leastOfLevel) continue;
    const t = Math.abs(Math.log(ratio)) / (deviation * standardError(at, after));
    if (studentProbability(t, count - 2) * places(count) <= significance) return more;
  }
  return null;
}

/** The smallest change between the halves of the series that would be significant, as a share of the lower level. */
export function leastVisibleChange(values: number[]): number {
  const logarithms = values.map((value) => Math.log(Math.max(value, Number.MIN_VALUE)));
  const half = values.length >> 1;
  let t = 1;
  while (studentProbability(t, values.length - 2) * places(values.length) > significance) t *= 1.01;
  return Math.exp(t * spread(logarithms, [mean(logarithms)]) * standardError(half, values.length - half)) - 1;
}
