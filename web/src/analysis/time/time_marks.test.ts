// SPDX-License-Identifier: Apache-2.0
import { expect, it } from 'vitest';
import { smallModel } from '../../../tests/small_report.ts';
import { marksOf } from './time_marks.ts';

const start = 1000;
const shown = (model: ReturnType<typeof smallModel>) => marksOf(model).map(({ kind, begin, end }) => [kind, begin, end]);

it('tells a lost executor from one that was given back, and one that lacked memory', () => {
  const model = smallModel([]);
  const [first, second] = model.report.executors;
  model.report.executors = [
    { ...first!, removeTime: start + 4000, removeReason: 'Executor heartbeat timed out after 120000 ms' },
    { ...second!, removeTime: start + 5000, removeReason: 'Executor killed by driver.' },
    {
      ...second!,
      id: '3',
      addTime: start + 2000,
      removeTime: start + 6000,
      removeReason: 'Container killed by YARN for exceeding memory limits',
    },
  ];
  expect(shown(model)).toEqual([
    ['added', 0, 0],
    ['added', 0, 0],
    ['added', 2000, 2000],
    ['lost', 4000, 4000],
    ['removed', 5000, 5000],
    ['oom', 6000, 6000],
  ]);
});

it('marks times with much garbage collection, and broadcasts', () => {
  const model = smallModel([]);
  model.report.executors = [];
  model.report.series = [
    {
      name: 'jvm.gc_time_ns',
      unit: 'share',
      label: 'Time in GC',
      executor: 0,
      process: 0,
      time: Float64Array.of(1000, 2000, 3000, 4000, 5000),
      value: Float64Array.of(0.05, 0.3, 0.6, 0.02, 0.04),
    },
  ];
  model.report.jobs[1]!.description = 'broadcast exchange (runId 7b9a)';
  expect(shown(model)).toEqual([
    ['gc', 1000, 3000],
    ['broadcast', 4000, 8000],
  ]);
  expect(marksOf(model)[0]!.text).toMatch(/up to 60%/);
});

it('shows nothing of what is beyond the run', () => {
  const model = smallModel([]);
  model.report.executors = [{ ...model.report.executors[0]!, addTime: start + 9000 }];
  expect(marksOf(model)).toEqual([]);
});
