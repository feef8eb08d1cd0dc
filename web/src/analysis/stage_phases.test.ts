// SPDX-License-Identifier: Apache-2.0
import { expect, it } from 'vitest';
import { smallModel } from '../../tests/small_report.ts';
import { phasesOfStages, type StagePhases } from './stage_phases.ts';

const asMap = ({ parts }: StagePhases) => Object.fromEntries(parts.map(({ phase, ns }) => [phase, ns]));

it('tells waiting for a CPU from other waiting by the samples, in the JVM and in Python', () => {
  const model = smallModel([
    { stack: 'run', weight: 100, task: 0, event: 1, state: 1 },
    { stack: 'run;[python worker];f', weight: 200, task: 0, event: 1, state: 1 },
    { stack: 'run', weight: 400, task: 0, event: 2, state: 1 },
    { stack: 'run;[python worker];f', weight: 500, task: 0, event: 2, state: 2 },
    { stack: 'run;read', weight: 100, task: 0, event: 2, state: 2 },
  ]);
  model.report.stages[0]!.pythonRunnableNs = 450;
  const [first, second] = phasesOfStages(model);
  expect(first!.sampled).toBe(true);
  expect(first!.whole).toBe(1000);
  expect(asMap(first!)).toEqual({ jvm: 100, python: 200, pythonWait: 50, cpuWait: 550, other: 100 });
  expect(second!.sampled).toBe(false);
});

it('tells what a native engine computes from waiting', () => {
  const model = smallModel([
    { stack: 'run', weight: 100, task: 0, event: 1, state: 1 },
    { stack: 'run;execute;[engine thread];decode', weight: 600, task: 0, event: 1, state: 1 },
    { stack: 'run', weight: 200, task: 0, event: 2, state: 1 },
    { stack: 'run;execute', weight: 800, task: 0, event: 2, state: 2 },
  ]);
  expect(asMap(phasesOfStages(model)[0]!)).toEqual({ jvm: 100, engine: 600, cpuWait: 100, other: 200 });
});

it('takes waits for a CPU from samples that are too few for the rest', () => {
  const model = smallModel([
    { stack: 'run', weight: 100, task: 0, event: 1, state: 1 },
    { stack: 'run', weight: 250, task: 0, event: 2, state: 1 },
  ]);
  model.report.stages[0]!.totals = { executorRunTimeNs: 2000, executorCpuTimeNs: 300 };
  model.report.stages[0]!.pythonRunnableNs = 900;
  expect(asMap(phasesOfStages(model)[0]!)).toEqual({ jvm: 300, cpuWait: 1050, other: 650 });
});

it('takes Spark’s metrics without samples, and never more than the run time', () => {
  const model = smallModel([]);
  model.report.stages[0]!.totals = {
    executorRunTimeNs: 1000,
    executorCpuTimeNs: 300,
    gcTimeNs: 100,
    shuffleFetchWaitNs: 5000,
    schedulerDelayNs: 50,
  };
  const [first] = phasesOfStages(model);
  expect(asMap(first!)).toEqual({ jvm: 300, gc: 100, fetch: 600, scheduler: 50 });
  expect(first!.whole).toBe(1050);
});
