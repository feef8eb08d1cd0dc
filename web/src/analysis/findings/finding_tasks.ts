// SPDX-License-Identifier: Apache-2.0
// The tasks of the stage that a finding is about, the slowest first, with the data that they read.
import type { Finding, Selection } from '../../data/contract.ts';
import type { Model } from '../../data/model.ts';
import { orderOf } from '../order.ts';
import { stageRowOf, taskMask } from '../selection.ts';

/** The stage that a finding shows: that of its evidence, else its first one. */
export function stageOfFinding({ evidence, stages }: Finding): Selection {
  return evidence?.stage === undefined ? { stage: stages?.[0] } : { stage: evidence.stage, stageAttempt: evidence.stageAttempt };
}

export interface FindingTasks {
  /** rows, the slowest first */
  rows: number[];
  /** rows of the finding's own tasks; without any, none */
  marked: Set<number>;
}

export function tasksOfFinding(model: Model, finding: Finding): FindingTasks {
  const { tasks } = model.report;
  const row = stageRowOf(model, stageOfFinding(finding));
  const rows = (model.tasksOfStage[row] ?? []).filter((task) => tasks.end[task]! > tasks.begin[task]!);
  const order = orderOf(
    rows.map((task) => tasks.end[task]! - tasks.begin[task]!),
    false,
  );
  const chosen = finding.evidence?.task === undefined ? null : taskMask(model, finding.evidence);
  return { rows: Array.from(order, (at) => rows[at]!), marked: new Set(chosen ? rows.filter((task) => chosen[task]) : []) };
}

export const medianOf = (values: number[]): number => Float64Array.from(values).sort()[(values.length - 1) >> 1] ?? 0;

export interface DataMetric {
  name: string;
  label: string;
  unit: 'bytes' | 'count';
}
const dataMetrics: DataMetric[] = [
  { name: 'shuffleReadRecords', label: 'Records read from the shuffle', unit: 'count' },
  { name: 'shuffleReadBytes', label: 'Read from the shuffle', unit: 'bytes' },
  { name: 'inputRecords', label: 'Input records', unit: 'count' },
  { name: 'inputBytes', label: 'Input', unit: 'bytes' },
  { name: 'shuffleWriteRecords', label: 'Records written to the shuffle', unit: 'count' },
];
/** Less tells nothing. */
const least = { bytes: 1 << 20, count: 1000 };

/** The metric of data of which a task has most, compared with the median; null if no task has much of any. */
export function dataOf(model: Model, rows: number[], task: number): DataMetric | null {
  const { tasks, stages } = model.report;
  const { quantiles } = stages[tasks.stage[task]!]!;
  let best: DataMetric | null = null;
  let most = 0;
  for (const metric of dataMetrics) {
    const column = tasks[metric.name];
    if (!column || rows.every((row) => column[row]! < least[metric.unit])) continue;
    const median = quantiles[metric.name]?.[2] ?? medianOf(rows.map((row) => column[row]!));
    const times = column[task]! / Math.max(1, median);
    // records rather than bytes for equal ratios
    if (times <= most * 1.0001) continue;
    most = times;
    best = metric;
  }
  return best;
}
