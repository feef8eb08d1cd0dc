// SPDX-License-Identifier: Apache-2.0
import { expect, it } from 'vitest';
import type { Tasks } from '../data/contract.ts';
import { tellingMetric, varies } from './telling_metric.ts';

const tasks = (columns: Record<string, number[]>) =>
  Object.fromEntries(Object.entries(columns).map(([name, values]) => [name, Float64Array.from(values)])) as unknown as Tasks;

it('is the size that goes with the durations', () => {
  const own = tasks({
    begin: [0, 0, 0, 0, 0],
    end: [10, 11, 12, 13, 90],
    // one task that has any
    shuffleReadBytes: [0, 500, 0, 0, 0],
    inputBytes: [100, 100, 100, 100, 900],
  });
  expect(tellingMetric(own, ['shuffleReadBytes', 'inputBytes'], [0, 1, 2, 3, 4])).toBe('inputBytes');
  expect(tellingMetric(own, ['shuffleReadBytes'], [0, 1, 2, 3, 4])).toBe('shuffleReadBytes');
});

it('is none where durations have other reasons', () => {
  const other = tasks({ begin: [0, 0, 0, 0], end: [10, 20, 10, 20], inputBytes: [5, 5, 9, 9] });
  expect(tellingMetric(other, ['inputBytes'], [0, 1, 2, 3])).toBeUndefined();
});

it('does not vary where all tasks have about the same, or none', () => {
  expect(varies([1000, 1001, 1040], [0, 1, 2])).toBe(false);
  expect(varies([0, 0], [0, 1])).toBe(false);
  expect(varies([1000, 1001, 1060], [0, 1, 2])).toBe(true);
  expect(varies([1000, 1001, 1060], [0, 1])).toBe(false);
});
