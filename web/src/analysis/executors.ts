// SPDX-License-Identifier: Apache-2.0
// Sums over the tasks of each executor and over the samples of each thread.
import type { Model } from '../data/model.ts';
import { forEachSample, type SampleFilter } from './selection.ts';

export interface ExecutorSums {
  tasks: number;
  failed: number;
  runNs: number;
  cpuNs: number;
  gcNs: number;
  inputBytes: number;
  shuffleBytes: number;
  spillBytes: number;
}

const nothing: ExecutorSums = { tasks: 0, failed: 0, runNs: 0, cpuNs: 0, gcNs: 0, inputBytes: 0, shuffleBytes: 0, spillBytes: 0 };

function sumsOf(tasks: number, failed: number, at: (metric: string) => number): ExecutorSums {
  return {
    tasks,
    failed,
    runNs: at('executorRunTimeNs'),
    cpuNs: at('executorCpuTimeNs'),
    gcNs: at('gcTimeNs'),
    inputBytes: at('inputBytes'),
    shuffleBytes: at('shuffleReadBytes') + at('shuffleWriteBytes'),
    spillBytes: at('diskSpilledBytes'),
  };
}

function add(sums: ExecutorSums, more: ExecutorSums): void {
  for (const key of Object.keys(sums) as (keyof ExecutorSums)[]) sums[key] += more[key];
}

/** Values of all tasks, in the page or not, or of those in the mask. */
export function sumByExecutor(model: Model, mask: Uint8Array | null): ExecutorSums[] {
  const { tasks, executors } = model.report;
  if (!mask && executors.every(({ totals }) => totals)) {
    return executors.map(({ taskCount = 0, failedTasks = 0, totals = {} }) =>
      sumsOf(taskCount, failedTasks, (metric) => totals[metric] ?? 0),
    );
  }
  const sums = executors.map((): ExecutorSums => ({ ...nothing }));
  for (let task = 0; task < tasks.id.length; task++) {
    const sum = sums[tasks.executor[task]!];
    if (sum && (!mask || mask[task]))
      add(
        sum,
        sumsOf(1, tasks.status[task] === 2 ? 1 : 0, (metric) => tasks[metric]?.[task] ?? 0),
      );
  }
  return sums;
}

/** Tasks that the page does not have, because there are too many. */
export function tasksLeftOut(model: Model): number {
  const { summary, tasks } = model.report;
  return Math.max(0, (summary.counts?.tasks ?? 0) - tasks.id.length);
}

/** Weight of the filter's event on each thread. */
export function weightByThread(model: Model, filter: SampleFilter): Float64Array {
  const weights = new Float64Array(model.report.threads.length);
  const { thread, weight } = model.report.samples;
  forEachSample(model, filter, (row) => {
    weights[thread[row]!]! += weight[row]!;
  });
  return weights;
}
