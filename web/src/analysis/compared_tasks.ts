// SPDX-License-Identifier: Apache-2.0
// Two sets of tasks by their metrics, and the event in whose samples they differ.
import type { Metric, Selection } from '../data/contract.ts';
import type { Model } from '../data/model.ts';
import { compileSelection, executorMask, tasksDuring, weigh, type Weights } from './selection.ts';

/** Means of one task on each side. */
export interface ComparedMetric {
  metric: Metric;
  a: number;
  b: number;
}
export interface ComparedTasks {
  tasks: [number, number];
  metrics: ComparedMetric[];
}

function rowsOf(model: Model, selection: Selection): number[] {
  const mask = tasksDuring(model, selection);
  const executors = executorMask(model, selection);
  const { tasks } = model.report;
  const rows: number[] = [];
  for (let row = 0; row < tasks.taskId.length; row++)
    if ((!mask || mask[row]) && (!executors || executors[tasks.executor[row]!])) rows.push(row);
  return rows;
}

/** Metrics that one of the sides has, those that differ most first; null where the page has no tasks of both. */
export function compareTasks(model: Model, first: Selection, second: Selection): ComparedTasks | null {
  const sides = [rowsOf(model, first), rowsOf(model, second)] as const;
  if (sides.some((rows) => rows.length === 0)) return null;
  const { tasks, metrics } = model.report;
  const mean = (rows: readonly number[], name: string) => rows.reduce((sum, row) => sum + (tasks[name]?.[row] ?? 0), 0) / rows.length;
  const compared = metrics
    .map((metric) => ({ metric, a: mean(sides[0], metric.name), b: mean(sides[1], metric.name) }))
    .filter(({ a, b }) => a > 0 || b > 0);
  const distance = ({ a, b }: ComparedMetric) => Math.abs(Math.log((a + Number.EPSILON) / (b + Number.EPSILON)));
  // what takes no time and moves no data cannot be the reason
  const weight = ({ metric, a, b }: ComparedMetric) =>
    metric.name === 'durationNs'
      ? Infinity
      : Math.max(a, b) < (metric.unit === 'ns' ? 1e6 : metric.unit === 'bytes' ? 1024 : 1)
        ? 0
        : distance({ metric, a, b });
  return { tasks: [sides[0].length, sides[1].length], metrics: compared.sort((x, y) => weight(y) - weight(x)) };
}

/** This much of the difference in wall time must be in another event's samples for that event to explain it. */
const explains = 0.5;

/** The event that shows best in what two selections of tasks differ; null without samples on either side. */
export function differingEvent(model: Model, first: Selection, second: Selection): string | null {
  const sizes = [rowsOf(model, first).length, rowsOf(model, second).length] as const;
  const differences = model.report.events
    .map(({ name, unit }) => {
      const [a, b] = [first, second].map(
        (side, i) => weigh(model, compileSelection(model, { ...side, event: name }, true)).total / Math.max(1, sizes[i]!),
      );
      return { name, unit, total: a! + b!, difference: Math.abs(a! - b!) };
    })
    .filter(({ total }) => total > 0);
  const of = (name: string) => differences.find((one) => one.name === name)?.difference ?? 0;
  const [wall, cpu, lock] = [of('wall'), of('cpu'), of('lock')];
  if (wall > 0) return cpu >= explains * wall ? 'cpu' : lock >= explains * wall ? 'lock' : 'wall';
  const times = differences.filter(({ unit }) => unit === 'ns');
  return [...(times.length > 0 ? times : differences)].sort((a, b) => b.difference - a.difference)[0]?.name ?? null;
}

/** Fewer samples tell nothing of the code that runs. */
const fewSamples = 10;

/** The part of the CPU time that both sides spend in the same functions; null with few samples on a side. */
export function sharedCode(model: Model, first: Selection, second: Selection): number | null {
  const [a, b] = [first, second].map((side) => weigh(model, compileSelection(model, { ...side, event: 'cpu' }, true))) as [
    Weights,
    Weights,
  ];
  if (a.count < fewSamples || b.count < fewSamples) return null;
  const byFunction = ({ self, total }: Weights) => {
    const shares = new Float64Array(model.functions.count);
    self.forEach((weight, node) => (shares[model.tree.label[node]!]! += weight / total));
    return shares;
  };
  const others = byFunction(b);
  return byFunction(a).reduce((sum, part, label) => sum + Math.min(part, others[label]!), 0);
}
