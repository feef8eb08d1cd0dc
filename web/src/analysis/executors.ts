// SPDX-License-Identifier: Apache-2.0
// Sums over the tasks of each executor and over the samples of each thread.
import type { Model } from '../data/model.ts';
import { forEachSample, type SampleFilter } from './selection.ts';

export interface ExecutorSums { tasks: number; failed: number; runNs: number; cpuNs: number; gcNs: number; inputBytes: number; shuffleBytes: number; spillBytes: number }

export function sumByExecutor(model: Model, mask: Uint8Array | null): ExecutorSums[] {
  const sums = model.report.executors.map((): ExecutorSums => ({
    tasks: 0, failed: 0, runNs: 0, cpuNs: 0, gcNs: 0, inputBytes: 0, shuffleBytes: 0, spillBytes: 0,
  }));
  const { tasks } = model.report;
  const at = (name: string, task: number) => tasks[name]?.[task] ?? 0;
  for (let task = 0; task < tasks.id.length; task++) {
    const sum = sums[tasks.executor[task]!];
    if (!sum || (mask && !mask[task])) continue;
    sum.tasks++;
    if (tasks.status[task] === 2) sum.failed++;
    sum.runNs += at('executorRunTimeNs', task);
    sum.cpuNs += at('executorCpuTimeNs', task);
    sum.gcNs += at('gcTimeNs', task);
    sum.inputBytes += at('inputBytes', task);
    sum.shuffleBytes += at('shuffleReadBytes', task) + at('shuffleWriteBytes', task);
    sum.spillBytes += at('diskSpilledBytes', task);
  }
  return sums;
}

/** Weight of the filter's event on each thread. */
export function weightByThread(model: Model, filter: SampleFilter): Float64Array {
  const weights = new Float64Array(model.report.threads.length);
  const { thread, weight } = model.report.samples;
  forEachSample(model, filter, (row) => { weights[thread[row]!]! += weight[row]!; });
  return weights;
}
