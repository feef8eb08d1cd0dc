// SPDX-License-Identifier: Apache-2.0
import { expect, it } from 'vitest';
import { runsBefore } from './run_before.ts';

const run = (key: string, startTime: number, durationMs: number | null = 1) => ({ key, startTime, durationMs });

it('finds the latest earlier run of the same job, in any order', () => {
  expect(runsBefore([run('a', 3), run('b', 2), run('a', 1), run('a', 2)])).toEqual([3, -1, -1, 2]);
});

it('passes over runs that did not end', () => {
  expect(runsBefore([run('a', 1), run('a', 2, null), run('a', 3)])).toEqual([-1, 0, 0]);
});
