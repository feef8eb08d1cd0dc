// SPDX-License-Identifier: Apache-2.0
import { expect, it } from 'vitest';
import { smallModel } from '../../tests/small_report.ts';
import { compareTasks, differingEvent, sharedCode } from './compared_tasks.ts';

const a = { stage: 0, task: 13 };
const b = { stage: 0, task: [10, 11] };

it('compares the means of tasks, those that differ most first', () => {
  const model = smallModel([]);
  model.report.metrics = [
    { name: 'durationNs', label: 'Duration', unit: 'ns' },
    { name: 'gcTimeNs', label: 'GC', unit: 'ns' },
    { name: 'inputBytes', label: 'Input', unit: 'bytes' },
  ];
  Object.assign(model.report.tasks, {
    durationNs: Float64Array.of(1e9, 2e9, 0, 3e9, 0, 0),
    gcTimeNs: Float64Array.of(1e9, 1e9, 0, 1e9, 0, 0),
    inputBytes: Float64Array.of(2048, 2048, 0, 40960, 0, 0),
  });
  expect(compareTasks(model, a, b)).toMatchObject({
    tasks: [1, 2],
    metrics: [
      { metric: { name: 'durationNs' }, a: 3e9, b: 1.5e9 },
      { metric: { name: 'inputBytes' }, a: 40960, b: 2048 },
      { metric: { name: 'gcTimeNs' } },
    ],
  });
  expect(compareTasks(model, { stage: 9 }, b)).toBeNull();
});

it('takes the event that explains the difference', () => {
  const cpuBound = smallModel([
    { stack: 'x', weight: 90, task: 3 },
    { stack: 'x', weight: 10, task: 0 },
    { stack: 'x', weight: 100, task: 3, event: 2 },
    { stack: 'x', weight: 10, task: 0, event: 2 },
  ]);
  expect(differingEvent(cpuBound, a, b)).toBe('cpu');
  const waiting = smallModel([
    { stack: 'x', weight: 10, task: 3 },
    { stack: 'x', weight: 10, task: 0 },
    { stack: 'x', weight: 100, task: 3, event: 2 },
    { stack: 'x', weight: 10, task: 0, event: 2 },
  ]);
  expect(differingEvent(waiting, a, b)).toBe('wall');
  expect(differingEvent(smallModel([]), a, b)).toBeNull();
});

it('measures the code that two sides share by their functions', () => {
  const samples = (a: string, b: string) =>
    Array.from({ length: 20 }, (_, i) => ({ stack: i % 2 ? a : b, weight: 10, task: i % 2 ? 0 : 3 }));
  const sides = [
    { stage: 0, task: 10 },
    { stage: 0, task: 13 },
  ] as const;
  expect(sharedCode(smallModel(samples('x', 'x')), ...sides)).toBeCloseTo(1);
  expect(sharedCode(smallModel(samples('x', 'y')), ...sides)).toBeCloseTo(0);
  expect(sharedCode(smallModel([]), ...sides)).toBeNull();
});
