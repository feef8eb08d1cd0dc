// SPDX-License-Identifier: Apache-2.0
// Curves of single processes side by side, and what happened on their time axis.
import type { Model } from '../data/model.ts';
import { align, byInterest, holdsItsValue, roleInWords, type CurveData, type Line } from './time/curves.ts';

export type BoundaryKind = 'jobs' | 'stages' | 'tasks';

/** Begins and ends, ms since the application's start, in order of time. */
export function boundariesOf(model: Model, kind: BoundaryKind): Float64Array {
  const { report } = model;
  const times: number[] = [];
  if (kind === 'tasks') {
    for (let row = 0; row < report.tasks.taskId.length; row++) times.push(report.tasks.begin[row]!, report.tasks.end[row]!);
  } else {
    for (const { submissionTime, completionTime } of kind === 'jobs' ? report.jobs : report.stages) {
      if (submissionTime) times.push(model.relative(submissionTime));
      if (completionTime) times.push(model.relative(completionTime));
    }
  }
  return Float64Array.from(times).sort();
}

/** A curve for each name, a line for each process that has it: "executor 1 · 4150 Python worker". */
export function curvesByProcess(model: Model, executors: Uint8Array | null): CurveData[] {
  const { series, processes } = model.report;
  const byName = new Map<string, Line[]>();
  const facts = new Map<string, { label: string; unit: CurveData['unit'] }>();
  for (const one of series) {
    if (one.time.length === 0 || (executors && !executors[one.executor])) continue;
    const process = processes[one.process];
    const whose = one.executor >= 0 ? model.executorName(one.executor) : '';
    const what = process ? `${process.pid > 0 ? `${process.pid} ` : ''}${roleInWords(process.role)}` : '';
    const label = [whose, what].filter((part) => part).join(' · ') || 'unknown';
    const line: Line = {
      label,
      executor: one.executor,
      time: Array.from(one.time),
      value: Array.from(one.value),
      python: /python/i.test(process?.role ?? ''),
      steps: holdsItsValue(one),
    };
    const lines = byName.get(one.name);
    if (lines) lines.push(line);
    else byName.set(one.name, [line]);
    facts.set(one.name, { label: one.label, unit: one.unit });
  }
  return [...byName].map(([name, lines]) => ({ name, ...facts.get(name)!, lines, aligned: align(lines) })).sort(byInterest);
}

/** All chosen curves on one axis: each line as a share of its curve's largest value. */
export function normalized(curves: CurveData[]): CurveData | null {
  const lines = curves.flatMap((curve) => {
    const most = curve.lines.reduce((top, line) => line.value.reduce<number>((a, b) => Math.max(a, Math.abs(b ?? 0)), top), 0) || 1;
    return curve.lines.map(
      (line): Line => ({
        ...line,
        label: `${curve.label} · ${line.label}`,
        value: line.value.map((value) => (value === null ? null : value / most)),
      }),
    );
  });
  return lines.length === 0 ? null : { name: 'normalized', label: 'Share of the maximum', unit: 'share', lines, aligned: align(lines) };
}

export interface MetricGroup {
  label: string;
  curves: CurveData[];
}

/** By the names of metrics, of which the first that fits counts. */
const groups: [string, RegExp][] = [
  ['Profiler', /^(agent|plugin|run|sampler)\./],
  ['Tasks and CPU', /^tasks\.|cpu|\.threads$/],
  ['Memory', /heap|rss|pss|memory|metaspace|buffers|native|swap/],
  ['Garbage collection and JVM', /^jvm\./],
  ['Disk and network', /^disk\.|read|writ|receiv|sent|net/],
];
const others = 'Others';
/** In the order of the page. */
const order = [...groups.slice(1).map(([label]) => label), others, groups[0]![0]];

/** Curves by what they measure; groups without curves are left out. */
export function groupMetrics(curves: CurveData[]): MetricGroup[] {
  const groupOf = ({ name }: CurveData) => groups.find(([, pattern]) => pattern.test(name))?.[0] ?? others;
  return order
    .map((label) => ({ label, curves: curves.filter((curve) => groupOf(curve) === label) }))
    .filter((group) => group.curves.length > 0);
}
