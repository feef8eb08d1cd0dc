// SPDX-License-Identifier: Apache-2.0
// What a task's time went to, from Spark's own metrics.
import type { Tasks } from '../data/contract.ts';

export interface Phase {
  id: string;
  label: string;
}

export const phases: readonly Phase[] = [
  { id: 'jvm', label: 'CPU' },
  { id: 'gc', label: 'GC' },
  { id: 'fetch', label: 'Shuffle wait' },
  { id: 'write', label: 'Shuffle write' },
  { id: 'other', label: 'Other waiting (disk, Python, locks)' },
  { id: 'deserialize', label: 'Deserialization' },
  { id: 'result', label: 'Sending the result' },
  { id: 'scheduler', label: 'Scheduler delay' },
];

/** ns of each phase. What the run time has beyond its known parts is other waiting. */
export function phasesOf(tasks: Tasks, task: number): number[] {
  const at = (metric: string) => Math.max(0, tasks[metric]?.[task] ?? 0);
  const cpu = at('executorCpuTimeNs');
  const gc = at('gcTimeNs');
  const fetch = at('shuffleFetchWaitNs');
  const write = at('shuffleWriteTimeNs');
  const other = Math.max(0, at('executorRunTimeNs') - cpu - gc - fetch - write);
  return [
    cpu,
    gc,
    fetch,
    write,
    other,
    at('deserializeTimeNs'),
    at('resultSerializationTimeNs') + at('gettingResultTimeNs'),
    at('schedulerDelayNs'),
  ];
}

/** The phase that took longest; -1 for a task without metrics. */
export function mainPhase(tasks: Tasks, task: number): number {
  const parts = phasesOf(tasks, task);
  const most = parts.reduce((a, b) => Math.max(a, b), 0);
  return most > 0 ? parts.indexOf(most) : -1;
}

/** ms; a task that still runs counts until the end of the data */
export const durationOf = (tasks: Tasks, task: number) => Math.max(0, tasks.end[task]! - tasks.begin[task]!);

export interface TaskGroup {
  /** rows, the longest first */
  tasks: number[];
  /** of the group's time, by phase; together 1, or all 0 without metrics */
  shares: number[];
}

/** Tasks by falling duration in at most `most` groups of equal size. */
export function groupsByDuration(tasks: Tasks, rows: number[], most: number): TaskGroup[] {
  const sorted = [...rows].sort((a, b) => durationOf(tasks, b) - durationOf(tasks, a) || a - b);
  const size = Math.max(1, Math.ceil(sorted.length / most));
  const groups: TaskGroup[] = [];
  for (let first = 0; first < sorted.length; first += size) {
    const own = sorted.slice(first, first + size);
    const sums = phases.map(() => 0);
    for (const task of own)
      phasesOf(tasks, task).forEach((ns, phase) => {
        sums[phase]! += ns;
      });
    const whole = sums.reduce((a, b) => a + b, 0);
    groups.push({ tasks: own, shares: sums.map((sum) => (whole > 0 ? sum / whole : 0)) });
  }
  return groups;
}

export interface ExecutorOfStage {
  executor: number;
  tasks: number;
  median: number;
  longest: number;
  sums: number[];
  inputBytes: number;
}

/** The tasks of each executor side by side; durations in ms. */
export function byExecutor(tasks: Tasks, rows: number[]): ExecutorOfStage[] {
  const lists = new Map<number, number[]>();
  for (const row of rows) {
    const list = lists.get(tasks.executor[row]!);
    if (list) list.push(row);
    else lists.set(tasks.executor[row]!, [row]);
  }
  return [...lists]
    .sort((a, b) => a[0] - b[0])
    .map(([executor, own]) => {
      const durations = Float64Array.from(own, (row) => durationOf(tasks, row)).sort();
      const sums = phases.map(() => 0);
      let inputBytes = 0;
      for (const row of own) {
        phasesOf(tasks, row).forEach((ns, phase) => {
          sums[phase]! += ns;
        });
        inputBytes += (tasks.inputBytes?.[row] ?? 0) + (tasks.shuffleReadBytes?.[row] ?? 0);
      }
      return { executor, tasks: own.length, median: durations[(durations.length - 1) >> 1]!, longest: durations.at(-1)!, sums, inputBytes };
    });
}
