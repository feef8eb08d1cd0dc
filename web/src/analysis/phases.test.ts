// SPDX-License-Identifier: Apache-2.0
import { describe, expect, it } from 'vitest';
import type { Tasks } from '../data/contract.ts';
import { byExecutor, mainPhases, phaseColumns, phases } from './phases.ts';

const tasks = {
  taskId: Int32Array.of(7, 8, 9),
  begin: Float64Array.of(0, 0, 10),
  end: Float64Array.of(100, 30, 20),
  executor: Uint16Array.of(1, 0, 1),
  executorRunTimeNs: Float64Array.of(90e6, 30e6, 0),
  executorCpuTimeNs: Float64Array.of(20e6, 25e6, 0),
  gcTimeNs: Float64Array.of(60e6, 10e6, 0),
  inputBytes: Float64Array.of(5, 6, 7),
} as unknown as Tasks;

describe('phases', () => {
  it('are parts of the run time, and what is left is other waiting', () => {
    const columns = phaseColumns(tasks);
    expect(columns.map((column) => column?.[0])).toEqual([20e6, 60e6, undefined, undefined, 10e6, undefined, 0, undefined]);
    expect(phases[mainPhases(columns, [0])[0]!]!.id).toBe('gc');
  });
  it('are never negative, and unknown without metrics', () => {
    const one = byExecutor(tasks, [1])[0]!;
    expect(one.sums[4]).toBe(0);
    expect([...mainPhases(phaseColumns(tasks), [2, 1])]).toEqual([-1, 0]);
  });
  it('of executors side by side', () => {
    expect(
      byExecutor(tasks, [0, 1, 2]).map(({ executor, tasks: count, median, longest, inputBytes }) => [
        executor,
        count,
        median,
        longest,
        inputBytes,
      ]),
    ).toEqual([
      [0, 1, 30, 30, 6],
      [1, 2, 10, 100, 12],
    ]);
  });
});
