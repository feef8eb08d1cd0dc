// SPDX-License-Identifier: Apache-2.0
import { describe, expect, it } from 'vitest';
import { changePoints, undecidedStep } from './change_points.ts';
import { leastVisibleChange, studentProbability } from '../clear_step.ts';

const noise = (i: number) => ((i * 7919) % 13) / 13;

describe('change points', () => {
  it('are where the level changes', () => {
    const values = Array.from({ length: 40 }, (_unused, i) => (i < 15 ? 10 : i < 28 ? 14 : 8) + noise(i));
    expect(changePoints(values)).toEqual([15, 28]);
  });
  it('are not found in noise, in a constant, or in few values', () => {
    expect(changePoints(Array.from({ length: 40 }, (_unused, i) => 10 + noise(i)))).toEqual([]);
    expect(changePoints(Array(30).fill(3) as number[])).toEqual([]);
    expect(changePoints([1, 1, 9])).toEqual([]);
    expect(changePoints([0, 0, 0, 0, 0, 0, 5, 0])).toEqual([]);
  });
  it('are not single outliers', () => {
    expect(changePoints(Array.from({ length: 30 }, (_unused, i) => (i === 12 ? 500 : 10 + noise(i))))).toEqual([]);
  });
  it('are found with six runs', () => {
    expect(changePoints([0.7, 0.75, 0.8, 1.6, 1.55, 1.62])).toEqual([3]);
    expect(changePoints([1.6, 1.55, 1.62, 1.58, 0.8, 0.75])).toEqual([4]);
    expect(changePoints([0.7, 0.75, 0.8, 1.6, 1.55])).toEqual([]);
  });
  it('are found two runs after a step', () => {
    expect(changePoints([0.72, 0.78, 0.7, 0.8, 0.74, 0.76, 1.6, 1.58])).toEqual([6]);
    expect(changePoints([0.72, 0.78, 0.7, 0.8, 0.74, 0.76, 0.71, 0.79, 1.6, 1.63, 1.58])).toEqual([8]);
  });
  it('are found where the levels of many runs overlap', () => {
    const values = Array.from({ length: 40 }, (_unused, i) => (i < 20 ? 10 : 11) + 2 * noise(i));
    expect(changePoints(values)).toHaveLength(1);
  });
});

describe('a step of which too little is known', () => {
  const before = [0.72, 0.78, 0.7, 0.8, 0.74, 0.76, 0.75];
  it('needs more runs at its level', () => {
    const values = [...before, 1.6];
    expect(changePoints(values)).toEqual([]);
    expect(undecidedStep(values, [])).toMatchObject({ at: 7, moreRuns: 1 });
    expect(changePoints([...values, 1.6])).toEqual([7]);
  });
  it('is not noise', () => {
    expect(undecidedStep([...before, 0.81], [])).toBeNull();
    expect(undecidedStep([...before, 0.77], [])).toBeNull();
  });
});

/** Uniform in [0, 1), the same in each run. */
function source(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

describe('of 10,000 series without a change, fewer than 1% have one', () => {
  const random = source(11);
  const normal = () => Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random());
  const kinds: [string, () => number][] = [
    ['normal, 5%', () => Math.exp(0.05 * normal())],
    ['normal, 20%', () => Math.exp(0.2 * normal())],
    ['uniform', () => 0.7 + 0.1 * random()],
    ['rounded', () => Math.round(10 * Math.exp(0.05 * normal())) / 10],
    ['one run in 20 takes twice as long', () => Math.exp(0.03 * normal()) * (random() < 0.05 ? 2 : 1)],
  ];
  it.each(kinds)('%s', (kind, value) => {
    let found = 0;
    for (let i = 0; i < 10_000; i++) {
      const length = [6, 8, 10, 12, 20][i % 5]!;
      if (changePoints(Array.from({ length }, value)).length > 0) found++;
    }
    console.info(`${kind}: ${found} of 10,000 series`);
    expect(found).toBeLessThan(100);
  });
});

it('knows Student’s distribution', () => {
  const table: [number, number, number][] = [
    [12.706, 1, 0.05],
    [4.303, 2, 0.05],
    [3.182, 3, 0.05],
    [2.776, 4, 0.05],
    [4.604, 4, 0.01],
    [2.228, 10, 0.05],
  ];
  for (const [t, freedom, probability] of table) expect(studentProbability(t, freedom)).toBeCloseTo(probability, 4);
});

it('names the smallest change that so few runs can show', () => {
  const few = leastVisibleChange([0.7, 0.75, 0.8, 0.72, 0.78, 0.74]);
  expect(few).toBeGreaterThan(0.15);
  expect(leastVisibleChange(Array.from({ length: 40 }, (_unused, i) => 0.75 + 0.02 * (i % 5)))).toBeLessThan(few);
});
