// SPDX-License-Identifier: Apache-2.0
// Stages that do the same work for the same line of the program, such as those of a query in a loop, as one.
import type { Stage } from '../data/contract.ts';
import type { Model } from '../data/model.ts';
import type { StagePhases } from './stage_phases.ts';

/** Rows of equal stages, two or more, in their order. */
export type StageGroup = number[];

export function groupsOf(stages: Stage[], rows: number[]): StageGroup[] {
  const byName = new Map<string, number[]>();
  for (const row of rows) {
    const { name } = stages[row]!;
    const group = byName.get(name);
    if (group) group.push(row);
    else byName.set(name, [row]);
  }
  return [...byName.values()].filter((group) => group.length > 1);
}

/** The stages of a group added up. Its submission is that of the first, and it has the status of the worst. */
export function mergeStages(model: Model, group: StageGroup): Stage {
  const { report, tasksOfStage } = model;
  const own = group.map((row) => report.stages[row]!);
  const sum = (value: (stage: Stage) => number | undefined) => own.reduce((total, stage) => total + (value(stage) ?? 0), 0);
  const worst = own.find(({ status }) => status === 'FAILED') ?? own[0]!;
  const totals: Record<string, number> = {};
  for (const stage of own) for (const [name, value] of Object.entries(stage.totals)) totals[name] = (totals[name] ?? 0) + value;
  return {
    ...worst,
    numTasks: sum(({ numTasks }) => numTasks),
    numFailedTasks: sum(({ numFailedTasks }) => numFailedTasks),
    numKilledTasks: sum(({ numKilledTasks }) => numKilledTasks),
    submissionTime: own[0]!.submissionTime,
    completionTime: own.at(-1)!.completionTime,
    cpuSamplesNs: sum(({ cpuSamplesNs }) => cpuSamplesNs),
    pythonWaitNs: sum(({ pythonWaitNs }) => pythonWaitNs),
    cost: sum(({ cost }) => cost),
    totals,
    quantiles: durationsOf(
      model,
      own,
      group.flatMap((row) => tasksOfStage[row]!),
    ),
  };
}

/** Empty if tasks are missing in the page. */
function durationsOf({ report: { tasks } }: Model, own: Stage[], rows: number[]): Record<string, number[]> {
  const durations = tasks.durationNs;
  if (!durations || rows.length === 0 || rows.length < own.reduce((sum, { numTasks }) => sum + numTasks, 0)) return {};
  const sorted = Float64Array.from(rows, (row) => durations[row]!).sort();
  return { durationNs: [0, 0.25, 0.5, 0.75, 1].map((part) => sorted[Math.floor(part * (sorted.length - 1))]!) };
}

export function mergePhases(all: StagePhases[]): StagePhases {
  const sums = new Map<string, number>();
  for (const { parts } of all) for (const { phase, ns } of parts) sums.set(phase, (sums.get(phase) ?? 0) + ns);
  return {
    parts: Array.from(sums, ([phase, ns]) => ({ phase, ns })),
    whole: all.reduce((sum, { whole }) => sum + whole, 0),
    sampled: all.every(({ sampled }) => sampled),
  };
}
