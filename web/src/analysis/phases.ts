// SPDX-License-Identifier: Apache-2.0
// What a task's time went to, from Spark's own metrics.
import type { Tasks } from '../data/contract.ts';
import { phaseLabels } from './stage_phases.ts';

export interface Phase {
  id: string;
  label: string;
}

const ids = ['jvm', 'gc', 'fetch', 'write', 'other', 'deserialize', 'result', 'scheduler'];
export const phases: readonly Phase[] = ids.map((id) => ({ id, label: phaseLabels[id]! }));

type Column = ArrayLike<number> | undefined;

const known = new WeakMap<Tasks, Column[]>();

/** ns of each phase, of all tasks. What the run time has beyond its known parts is other waiting. */
export function phaseColumns(tasks: Tasks): Column[] {
  const columns = known.get(tasks) ?? sumColumns(tasks);
  known.set(tasks, columns);
  return columns;
}

function sumColumns(tasks: Tasks): Column[] {
  const sum = (of: Column, sign: 1 | -1, parts: Column[]) => {
    const all = of ? new Float64Array(of) : new Float64Array(tasks.taskId.length);
    for (const part of parts) for (let task = 0; task < (part?.length ?? 0); task++) all[task]! += sign * Math.max(0, part![task]!);
    return all;
  };
  const parts = ['executorCpuTimeNs', 'gcTimeNs', 'shuffleFetchWaitNs', 'shuffleWriteTimeNs'].map((name): Column => tasks[name]);
  const result = sum(tasks.resultSerializationTimeNs, 1, [tasks.gettingResultTimeNs]);
  return [...parts, sum(tasks.executorRunTimeNs, -1, parts), tasks.deserializeTimeNs, result, tasks.schedulerDelayNs];
}

/** The phase that took longest, of each of the rows; -1 for a task without metrics. A column at a time: there may be very many tasks. */
export function mainPhases(columns: Column[], rows: number[]): Int8Array {
  const main = new Int8Array(rows.length).fill(-1);
  const most = new Float64Array(rows.length);
  columns.forEach((column, phase) => {
    for (let at = 0; column && at < main.length; at++) {
      const ns = column[rows[at]!]!;
      if (ns <= most[at]!) continue;
      most[at] = ns;
      main[at] = phase;
    }
  });
  return main;
}

/** ns of each phase, together. */
const sumPhases = (columns: Column[], rows: number[]): number[] =>
  columns.map((column) => {
    let sum = 0;
    if (column) for (const row of rows) sum += Math.max(0, column[row]!);
    return sum;
  });

/** ms; a task that still runs counts until the end of the data */
export const durationOf = (tasks: Tasks, task: number) => Math.max(0, tasks.end[task]! - tasks.begin[task]!);

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
  const columns = phaseColumns(tasks);
  for (const row of rows) {
    const list = lists.get(tasks.executor[row]!);
    if (list) list.push(row);
    else lists.set(tasks.executor[row]!, [row]);
  }
  return [...lists]
    .sort((a, b) => a[0] - b[0])
    .map(([executor, own]) => {
      const durations = new Float64Array(own.map((row) => durationOf(tasks, row))).sort();
      let inputBytes = 0;
      for (const row of own) inputBytes += (tasks.inputBytes?.[row] ?? 0) + (tasks.shuffleReadBytes?.[row] ?? 0);
      return {
        executor,
        tasks: own.length,
        median: durations[(durations.length - 1) >> 1]!,
        longest: durations.at(-1)!,
        sums: sumPhases(columns, own),
        inputBytes,
      };
    });
}
