// SPDX-License-Identifier: Apache-2.0
import { expect, it } from 'vitest';
import { smallModel } from '../../tests/small_report.ts';
import { coreTimeIn } from './core_time.ts';

const asMap = (model: ReturnType<typeof smallModel>, from: number, to: number) =>
  Object.fromEntries(coreTimeIn(model, from, to).map(({ phase, ns }) => [phase, Math.round(ns / 1e6)]));

function model() {
  const made = smallModel([]);
  made.report.stages[0]!.totals = { executorRunTimeNs: 1000, executorCpuTimeNs: 250 };
  return made;
}

it('adds up to the cores that were there', () => {
  // tasks of stage 0 run for 900 + 1100 + 3000 + 1000 ms
  expect(asMap(model(), 0, 4000)).toEqual({ jvm: 1500, other: 4500, idle: 2000 });
});

it('counts the part of a task that lies in the range', () => {
  expect(asMap(model(), 3000, 5000)).toEqual({ jvm: 250, other: 750, idle: 3000 });
});

it('counts cores while their executor is there', () => {
  const made = model();
  made.report.executors[0]!.removeTime = 1000 + 2500;
  expect(asMap(made, 2500, 4500)).toEqual({ jvm: 375, other: 1125, idle: 500 });
});

it('takes the samples of the range where there are any', () => {
  const made = smallModel([
    { stack: 'run', weight: 300e6, task: 0, event: 1, state: 1, bucket: 0 },
    { stack: 'run', weight: 300e6, task: 0, event: 2, state: 1, bucket: 0 },
    { stack: 'run;[python worker];f', weight: 900e6, task: 3, event: 2, state: 1, bucket: 2 },
  ]);
  expect(asMap(made, 0, 1000)).toEqual({ jvm: 1900, idle: 100 });
  expect(Object.keys(asMap(made, 2000, 3000))).toEqual(['pythonWait', 'idle']);
});
