// SPDX-License-Identifier: Apache-2.0
// Number of concurrent tasks, by a sweep over their starts and ends.
import type { Model } from '../../data/model.ts';
import { align, type CurveData, type Line } from './curves.ts';

export interface Steps {
  /** ms since the application's start */
  time: number[];
  /** as many run from then on */
  running: number[];
}

/** Sorted. */
interface Changes {
  begins: Float64Array;
  ends: Float64Array;
}

/**
 * An executor starts a task as soon as a core is free, before the driver has processed the end of the core's last task and noted its
 * time. The earliest end is then that begin. 0 cores: unknown.
 */
export function changesOf(begin: ArrayLike<number>, end: ArrayLike<number>, rows: number[], cores: number): Changes {
  // of typed arrays, sorting is many times as fast
  const begins = Float64Array.from(rows, (row) => begin[row]!).sort();
  const ends = Float64Array.from(rows, (row) => Math.max(begin[row]!, end[row]!)).sort();
  if (cores > 0) for (let next = cores; next < begins.length; next++) ends[next - cores] = Math.min(ends[next - cores]!, begins[next]!);
  return { begins, ends };
}

function together(parts: Changes[]): Changes {
  const joined = (lists: Float64Array[]) => {
    const all = new Float64Array(lists.reduce((sum, { length }) => sum + length, 0));
    let at = 0;
    for (const list of lists) {
      all.set(list, at);
      at += list.length;
    }
    return all.sort();
  };
  return parts.length === 1
    ? parts[0]!
    : { begins: joined(parts.map(({ begins }) => begins)), ends: joined(parts.map(({ ends }) => ends)) };
}

/** At equal times, an end precedes a start. */
export function sweep({ begins, ends }: Changes): Steps {
  const time: number[] = [];
  const running: number[] = [];
  let started = 0;
  let ended = 0;
  while (ended < ends.length) {
    const now = started < begins.length ? Math.min(begins[started]!, ends[ended]!) : ends[ended]!;
    while (started < begins.length && begins[started] === now) started++;
    while (ended < started && ends[ended] === now) ended++;
    time.push(now);
    running.push(started - ended);
  }
  return { time, running };
}

/** Running tasks over time, of tasks by executor. */
function stepsOf({ report: { tasks, executors } }: Model, byExecutor: ReadonlyMap<number, number[]>): Steps {
  return sweep(
    together([...byExecutor].map(([executor, rows]) => changesOf(tasks.begin, tasks.end, rows, executors[executor]?.totalCores ?? 0))),
  );
}

export interface Profile {
  /** ms with exactly n tasks running */
  timeAt: Float64Array;
  peak: number;
  /** over the total duration */
  mean: number;
}

/** How the time from 0 to `duration` is shared out by the number of running tasks. */
export function profileOf(steps: Steps, duration: number): Profile {
  const peak = steps.running.reduce((most, value) => Math.max(most, value), 0);
  const timeAt = new Float64Array(peak + 1);
  let since = 0;
  let running = 0;
  let taskTime = 0;
  const until = (time: number) => {
    const passed = Math.max(0, Math.min(time, duration) - Math.max(0, since));
    timeAt[running]! += passed;
    taskTime += passed * running;
  };
  steps.time.forEach((time, i) => {
    until(time);
    since = time;
    running = steps.running[i]!;
  });
  until(duration);
  return { timeAt, peak, mean: duration > 0 ? taskTime / duration : 0 };
}

/** The rows of tasks by that of their executor, on the executors of the mask or on all. */
function tasksByExecutor(model: Model, executors: Uint8Array | null): Map<number, number[]> {
  const { executor } = model.report.tasks;
  const rows = new Map<number, number[]>();
  executor.forEach((its, row) => {
    if (executors && !executors[its]) return;
    const known = rows.get(its);
    if (known) known.push(row);
    else rows.set(its, [row]);
  });
  return rows;
}

/** Running tasks over time, on the executors of the mask or on all. */
export function runningTasks(model: Model, executors: Uint8Array | null): Steps {
  const { concurrency } = model.report;
  if (concurrency && !executors) return { time: Array.from(concurrency.time), running: Array.from(concurrency.running) };
  return stepsOf(model, tasksByExecutor(model, executors));
}

/** More executors than this are shown as their sum. */
const mostLines = 8;

/** Running tasks over time as a curve, a line for each executor; null without tasks. */
export function concurrencyCurve(model: Model, executors: Uint8Array | null): CurveData | null {
  const { report, duration } = model;
  const byExecutor = tasksByExecutor(model, executors);
  const known = [...byExecutor.keys()].filter((row) => row < report.executors.length).sort((a, b) => a - b);
  if ((report.concurrency && !executors) || known.length > mostLines || known.length === 0) {
    const steps = runningTasks(model, executors);
    return steps.time.length > 0 ? curveOf([stepsLine('all executors', -1, steps, duration)]) : null;
  }
  return curveOf(
    known.map((row) => stepsLine(model.executorName(row), row, stepsOf(model, new Map([[row, byExecutor.get(row)!]])), duration)),
  );
}

function curveOf(lines: Line[]): CurveData {
  return { name: 'tasks.running', label: 'Running tasks', unit: 'count', lines, aligned: align(lines) };
}

/** A chart is not wider than half of that. */
const mostSteps = 4000;

/** The highest of steps that follow each other closely. */
function thinned({ time, running }: Steps): Steps {
  const group = Math.floor(time.length / mostSteps) + 1;
  if (group === 1) return { time, running };
  const firsts = time.filter((_, i) => i % group === 0);
  return { time: firsts, running: firsts.map((_, at) => running.slice(at * group, (at + 1) * group).reduce((a, b) => Math.max(a, b), 0)) };
}

/** From zero at the start to zero at the end. */
function stepsLine(label: string, executor: number, steps: Steps, duration: number): Line {
  const { time, running } = thinned(steps);
  const last = Math.max(duration, time.at(-1) ?? 0);
  return { label, executor, time: [0, ...time, last], value: [0, ...running, 0], python: false, steps: true };
}

/** The profile of all tasks, whether the page has them all or not. */
export function profileOfAll(model: Model): Profile {
  const { concurrency } = model.report;
  if (!concurrency) return profileOf(runningTasks(model, null), model.duration);
  const { timeAt } = concurrency;
  const taskTime = timeAt.reduce((sum, ms, n) => sum + ms * n, 0);
  return { timeAt, peak: timeAt.length - 1, mean: model.duration > 0 ? taskTime / model.duration : 0 };
}
