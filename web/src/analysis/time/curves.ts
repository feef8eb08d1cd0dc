// SPDX-License-Identifier: Apache-2.0
// Series gathered into curves: one curve for each name, one line for each executor and kind of process.
import type { Series, Unit } from '../../data/contract.ts';
import type { Model } from '../../data/model.ts';

export interface Line {
  label: string;
  executor: number;
  time: number[];
  value: (number | null)[];
  python: boolean;
  /** holds its value until the next point */
  steps?: boolean;
  /** in a stacked curve: not part of the stack */
  apart?: boolean;
  /** index into the palette, where not that of the line */
  color?: number;
}
export interface CurveData {
  name: string;
  label: string;
  unit: Unit;
  lines: Line[];
  /** the lines on one axis, for the chart */
  aligned: [number[], ...(number | null)[][]];
  /** drawn as areas on top of each other, the last line at the bottom */
  stacked?: boolean;
}

/** More lines are hard to distinguish; they become their sum, or mean and maximum. */
const mostLines = 8;
const firstCurves = ['process.cpu_ns', 'jvm.heap_used_bytes', 'jvm.gc_time_ns', 'process.rss_bytes'];

function rank(series: { name: string }): number {
  const at = firstCurves.indexOf(series.name);
  if (at >= 0) return at;
  // the profiler's own metrics come last
  return firstCurves.length + (series.name.startsWith('agent.') ? 1 : 0);
}

/** Display order: CPU, heap, GC, RSS, others. */
export function byInterest(a: CurveData, b: CurveData): number {
  return rank(a) - rank(b) || a.label.localeCompare(b.label);
}

/** A curve for each name, a line for each executor and kind of process. */
export function curvesOf(model: Model, executors: Uint8Array | null): CurveData[] {
  const byName = new Map<string, Series[]>();
  for (const series of model.report.series) {
    if (series.time.length === 0 || (executors && !executors[series.executor])) continue;
    const list = byName.get(series.name);
    if (list) list.push(series);
    else byName.set(series.name, [series]);
  }
  const curves: CurveData[] = [];
  for (const [name, list] of byName) {
    const { unit, label } = list[0]!;
    let lines = linesOf(model, list);
    if (lines.length > mostLines) lines = summarized(lines, unit);
    if (lines.length > 0) curves.push({ name, label, unit, lines, aligned: align(lines) });
  }
  return curves.sort(byInterest);
}

/** "python_worker" -> "Python worker" */
export const roleInWords = (role: string) =>
  role
    .replaceAll('_', ' ')
    .replace(/^jvm\b/, 'JVM')
    .replace(/^python\b/, 'Python');

/** The curve that a process's series belongs to; helpers such as the profiler's agent have none. */
function kindOf(model: Model, row: number): 'jvm' | 'python' | 'other' {
  const process = model.report.processes[row];
  if (!process || /jvm/i.test(process.role)) return 'jvm';
  return /python/i.test(process.role) || /^\S*python[\d.]*(\s|$)/.test(process.command) ? 'python' : 'other';
}

export const isPython = (model: Model, row: number) => kindOf(model, row) === 'python';

function linesOf(model: Model, list: Series[]): Line[] {
  const groups = new Map<string, { series: Series[]; label: string; python: boolean }>();
  for (const series of list) {
    const kind = kindOf(model, series.process);
    if (kind === 'other' && !series.name.startsWith('agent.')) continue;
    const python = kind === 'python';
    const key = `${series.executor}/${python}`;
    const label = `${model.executorName(series.executor)}${python ? ' Python' : ''}`;
    const group = groups.get(key);
    if (group) group.series.push(series);
    else groups.set(key, { series: [series], label, python });
  }
  return [...groups.values()]
    .map(({ series, label, python }) => {
      const executor = series[0]!.executor;
      const steps = holdsItsValue(series[0]!);
      if (series.length === 1) return { label, executor, python, steps, time: [...series[0]!.time], value: [...series[0]!.value] };
      return { label, executor, python, steps, ...combine(series, (values) => values.reduce((sum, value) => sum + value, 0)) };
    })
    .sort((a, b) => a.executor - b.executor || Number(a.python) - Number(b.python));
}

/** The one value of a curve that never changes and has a single line; null of any other. */
export function constantOf({ lines }: CurveData): number | null {
  const [only, ...others] = lines;
  const first = only?.value[0];
  if (!only || others.length > 0 || first === null || first === undefined) return null;
  return only.value.every((value) => value === first) ? first : null;
}

/** Numbers of things and limits change at a moment; what is measured in between is not between. */
export function holdsItsValue({ name, unit }: Pick<Series, 'name' | 'unit'>): boolean {
  return unit === 'count' || /_(max|limit|total|committed)_bytes$/.test(name);
}

interface Points {
  time: ArrayLike<number>;
  value: ArrayLike<number | null>;
}

/** Combines series step by step: each keeps its last value from its first point to its last. */
function combine(series: Points[], join: (values: number[]) => number): { time: number[]; value: number[] } {
  const time = [...new Set(series.flatMap((one) => Array.from(one.time)))].sort((a, b) => a - b);
  const at = series.map(() => 0);
  const value = time.map((now) => {
    const values: number[] = [];
    series.forEach((one, i) => {
      while (at[i]! < one.time.length && one.time[at[i]!]! <= now) at[i]!++;
      const last = at[i]! - 1;
      if (last >= 0 && (at[i]! < one.time.length || one.time[last]! === now)) values.push(one.value[last] ?? 0);
    });
    return join(values);
  });
  return { time, value };
}

function summarized(lines: Line[], unit: Unit): Line[] {
  const sum = (values: number[]) => values.reduce((total, value) => total + value, 0);
  return [false, true].flatMap((python) => {
    const own = lines.filter((line) => line.python === python);
    if (own.length === 0) return [];
    const line = (label: string, join: (values: number[]) => number): Line => ({
      label: `${label}${python ? ' Python' : ''}`,
      executor: -1,
      python,
      steps: own[0]!.steps,
      ...combine(own, join),
    });
    if (unit !== 'share') return [line(`sum of ${own.length}`, sum)];
    return [
      line(`mean of ${own.length}`, (values) => sum(values) / Math.max(1, values.length)),
      line('highest', (values) => values.reduce((most, value) => Math.max(most, value), 0)),
    ];
  });
}

/** Lines on one time axis; null where a line has no point. */
export function align(lines: Line[]): [number[], ...(number | null)[][]] {
  const time = [...new Set(lines.flatMap((line) => line.time))].sort((a, b) => a - b);
  const place = new Map(time.map((ms, i) => [ms, i]));
  return [
    time,
    ...lines.map((line) => {
      const column: (number | null)[] = new Array<number | null>(time.length).fill(null);
      line.time.forEach((ms, i) => {
        column[place.get(ms)!] = line.value[i] ?? null;
      });
      return column;
    }),
  ];
}
