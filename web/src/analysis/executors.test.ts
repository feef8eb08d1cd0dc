// SPDX-License-Identifier: Apache-2.0
import { expect, it } from 'vitest';
import { deviations, type ExecutorSums } from './executors.ts';

const sums = (more: Partial<ExecutorSums>): ExecutorSums => ({
  tasks: 10,
  failed: 0,
  runNs: 100e9,
  cpuNs: 0,
  gcNs: 0,
  inputBytes: 0,
  shuffleBytes: 1000,
  spillBytes: 0,
  ...more,
});

it('names the measure in which an executor is farthest from the median', () => {
  expect(deviations([sums({}), sums({ runNs: 300e9, shuffleBytes: 2000 }), sums({}), sums({ tasks: 0 })])).toEqual([
    null,
    { label: 'time per task', ratio: 3 },
    null,
    null,
  ]);
});

it('ignores GC that takes little time, and few executors', () => {
  expect(deviations([sums({ gcNs: 1e9 }), sums({ gcNs: 4e9 }), sums({ gcNs: 1e9 })])).toEqual([null, null, null]);
  expect(deviations([sums({ gcNs: 1e9 }), sums({ gcNs: 40e9 }), sums({ gcNs: 1e9 })])[1]).toEqual({ label: 'GC', ratio: 40 });
  expect(deviations([sums({}), sums({ runNs: 900e9 })])).toEqual([null, null]);
});
