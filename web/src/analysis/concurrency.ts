// SPDX-License-Identifier: Apache-2.0
// Number of concurrent tasks, by a sweep over their starts and ends.
import type { Model } from '../data/model.ts';
import { align, type CurveData, type Line } from './curves.ts';

export interface Steps {
  /** ms since the application's start */
  time: number[];
  /** as many run from then on */
  running: number[];
}

/** At equal times, an end precedes a start. */
export function sweep(begin: ArrayLike<number>, end: ArrayLike<number>, rows: Iterable<number>): Steps {
  const chosen = [...rows];
  // of typed arrays, sorting is many times as fast
  const begins = Float64Array.from(chosen, (row) => begin[row]!).sort();
  const ends = Float64Array.from(chosen, (row) => Math.max(begin[row]!, end[row]!)).sort();
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

export function tasksOf(model: Model, executor: number): number[] {
  const { tasks } = model.report;
  const rows: number[] = [];
  for (let row = 0; row < tasks.id.length; row++) if (executor < 0 || tasks.executor[row] === executor) rows.push(row);
  return rows;
}

/** Running tasks over time, on the executors of the mask or on all. */
export function runningTasks(model: Model, executors: Uint8Array | null): Steps {
  const { concurrency, tasks } = model.report;
  if (concurrency && !executors) return { time: Array.from(concurrency.time), running: Array.from(concurrency.running) };
  return sweep(tasks.begin, tasks.end, tasksOf(model, -1).filter((row) => !executors || executors[tasks.executor[row]!]));
}

/** More executors than this are shown as their sum. */
const mostLines = 8;

/** Running tasks over time as a curve, a line for each executor; null without tasks. */
export function concurrencyCurve(model: Model, executors: Uint8Array | null): CurveData | null {
  const { report, duration } = model;
  const chosen = report.executors.flatMap((_, row) => (!executors || executors[row] ? [row] : []));
  const line = (label: string, executor: number, rows: number[]): Line | null => {
    if (rows.length === 0) return null;
    return stepsLine(label, executor, sweep(report.tasks.begin, report.tasks.end, rows), duration);
  };
  const withTasks = chosen.map((row) => ({ row, rows: tasksOf(model, row) })).filter(({ rows }) => rows.length > 0);
  const { concurrency } = report;
  if (concurrency && !executors) {
    return curveOf([stepsLine('all executors', -1, { time: Array.from(concurrency.time), running: Array.from(concurrency.running) }, duration)]);
  }
  const lines = (withTasks.length > mostLines || withTasks.length === 0
    ? [line('all executors', -1, executors ? withTasks.flatMap(({ rows }) => rows) : tasksOf(model, -1))]
    : withTasks.map(({ row, rows }) => line(model.executorName(row), row, rows))).filter((one) => one !== null);
  if (lines.length === 0) return null;
  return curveOf(lines);
}

function curveOf(lines: Line[]): CurveData {
  return { name: 'tasks.running', label: 'Running tasks', unit: 'count', lines, aligned: align(lines) };
}

/** A chart is not wider than half of that. */
const mostSteps = 4000;

/** Of steps that follow each other closely, the highest. */
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
  const { concurrency, tasks } = model.report;
  if (!concurrency) return profileOf(sweep(tasks.begin, tasks.end, tasksOf(model, -1)), model.duration);
  const { timeAt } = concurrency;
  const taskTime = timeAt.reduce((sum, ms, n) => sum + ms * n, 0);
  return { timeAt, peak: timeAt.length - 1, mean: model.duration > 0 ? taskTime / model.duration : 0 };
}
