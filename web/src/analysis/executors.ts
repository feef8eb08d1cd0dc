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

/** Values of all tasks, in the page or not, or of those in the mask. */
export function sumByExecutor(model: Model, mask: Uint8Array | null): ExecutorSums[] {
  const { tasks, executors } = model.report;
  if (!mask && executors.every(({ totals }) => totals)) {
    return executors.map(({ totalTasks, failedTasks, totals = {} }) => sumsOf(totalTasks, failedTasks, (metric) => totals[metric] ?? 0));
  }
  // a column at a time: there may be very many tasks
  const sum = (ofTask: (task: number) => number) => {
    const sums = new Float64Array(executors.length);
    for (let task = 0; task < tasks.taskId.length; task++) if (!mask || mask[task]) sums[tasks.executor[task]!]! += ofTask(task);
    return sums;
  };
  const counts = sum(() => 1);
  const failures = sum((task) => (tasks.status[task] === 2 ? 1 : 0));
  const known = new Map<string, Float64Array>();
  const sumOf = (metric: string) => {
    const column = tasks[metric];
    let sums = known.get(metric);
    if (!sums) known.set(metric, (sums = sum((task) => column?.[task] ?? 0)));
    return sums;
  };
  return executors.map((_, row) => sumsOf(counts[row]!, failures[row]!, (metric) => sumOf(metric)[row]!));
}

/** Tasks that the page does not have, because there are too many. */
export function tasksLeftOut(model: Model): number {
  const { summary, tasks } = model.report;
  return Math.max(0, (summary.counts?.tasks ?? 0) - tasks.taskId.length);
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

/** How far an executor is from the median of all that ran tasks, in the measure in which it is farthest. */
export interface Deviation {
  label: string;
  /** times the median */
  ratio: number;
}

const measures: [string, (sums: ExecutorSums) => number][] = [
  ['time per task', ({ runNs, tasks }) => runNs / tasks],
  ['tasks', ({ tasks }) => tasks],
  ['GC', ({ gcNs }) => gcNs],
  ['shuffle data', ({ shuffleBytes }) => shuffleBytes],
  ['input', ({ inputBytes }) => inputBytes],
  ['spill', ({ spillBytes }) => spillBytes],
];
/** Fewer executors have no median that says anything. */
const fewExecutors = 3;
/** GC below this share of the run time matters to nobody. */
const noticeableGc = 0.05;
/** times the median, or its part */
const farAway = 1.5;

/** One for each executor; null for those near the median in all measures. */
export function deviations(sums: ExecutorSums[]): (Deviation | null)[] {
  const running = sums.filter(({ tasks }) => tasks > 0);
  if (running.length < fewExecutors) return sums.map(() => null);
  const medians = measures.map(([, value]) => {
    const sorted = running.map(value).sort((a, b) => a - b);
    return sorted[(sorted.length - 1) >> 1]!;
  });
  return sums.map((own) => {
    if (own.tasks === 0) return null;
    return measures.reduce<Deviation | null>((farthest, [label, value], i) => {
      const ratio = medians[i]! > 0 ? value(own) / medians[i]! : 1;
      const isSmall = label === 'GC' && own.gcNs < noticeableGc * own.runNs;
      const distance = (of: number) => Math.abs(Math.log(of));
      if (isSmall || ratio === 0 || distance(ratio) < Math.log(farAway)) return farthest;
      return farthest && distance(farthest.ratio) >= distance(ratio) ? farthest : { label, ratio };
    }, null);
  });
}
