// SPDX-License-Identifier: Apache-2.0
// Predefined comparisons. The second side is the baseline.
import { differingEvent } from '../analysis/compared_tasks.ts';
import { taskMask } from '../analysis/selection.ts';
import type { Selection } from '../data/contract.ts';
import type { Model } from '../data/model.ts';
import type { Store } from '../state/store.ts';

export interface Preset {
  id: string;
  label: string;
  sides(store: Store): [Selection, Selection] | null;
}

/** The selected stage, else the one with the most run time. */
function stageOf(store: Store): Partial<Selection> | null {
  const { selection } = store.view.value;
  if (selection.stage !== undefined) return { stage: selection.stage, stageAttempt: selection.stageAttempt };
  const { stages } = store.model.report;
  let best = -1;
  stages.forEach((stage, row) => {
    const size = (s: number) => stages[s]!.totals.executorRunTimeNs ?? stages[s]!.numTasks;
    if (stage.numTasks > 1 && (best < 0 || size(row) > size(best))) best = row;
  });
  return best < 0 ? null : { stage: stages[best]!.stageId, stageAttempt: stages[best]!.attemptId };
}

/** Stages that a finding names, else the slowest. */
function slowTasksOf(store: Store, { stage, stageAttempt }: Partial<Selection>): NonNullable<Selection['task']> {
  const found = store.model.report.findings.find(
    ({ evidence }) =>
      evidence?.stage === stage &&
      (evidence?.stageAttempt ?? 0) === (stageAttempt ?? 0) &&
      (typeof evidence?.task === 'number' || Array.isArray(evidence?.task)),
  );
  return found?.evidence?.task ?? 'slowest5';
}

function cleaned(selection: Selection): Selection {
  return JSON.parse(JSON.stringify(selection)) as Selection;
}

export const presets: Preset[] = [
  {
    id: 'stragglers',
    label: 'slowest 5% of the stage against its median',
    sides: (store) => {
      const stage = stageOf(store);
      const { selection } = store.view.value;
      return (
        stage && [cleaned({ ...selection, ...stage, task: slowTasksOf(store, stage) }), cleaned({ ...selection, ...stage, task: 'median' })]
      );
    },
  },
  {
    id: 'executor',
    label: 'this executor against the others',
    sides: (store) => {
      const { selection } = store.view.value;
      const workers = store.model.report.executors.filter((executor) => executor.id !== 'driver');
      if (workers.length < 2) return null;
      const id =
        selection.executor && !selection.executor.startsWith('!') && selection.executor !== 'driver' ? selection.executor : workers[0]!.id;
      return [
        { ...selection, executor: id },
        { ...selection, executor: `!${id}` },
      ];
    },
  },
  {
    id: 'halves',
    label: 'second half against the first',
    sides: (store) => {
      const { selection } = store.view.value;
      const { bucketMs } = store.model.report;
      const from = selection.from ?? 0;
      const to = selection.to ?? Math.ceil(store.model.duration / bucketMs) * bucketMs;
      const middle = Math.round((from + to) / 2 / bucketMs) * bucketMs;
      if (middle <= from || middle >= to) return null;
      return [
        { ...selection, from: middle, to },
        { ...selection, from, to: middle },
      ];
    },
  },
  {
    id: 'same',
    label: 'this selection against an editable copy',
    sides: (store) => [store.view.value.selection, cleaned({ ...store.view.value.selection, search: undefined })],
  },
];

export function applyPreset(store: Store, preset: Preset): void {
  const sides = preset.sides(store);
  if (!sides) return;
  compareSides(store, ...sides, preset.id === 'stragglers');
}

/** Tasks of a stage against all its others. */
export function compareWithOthers(store: Store, stage: Partial<Selection>, task: NonNullable<Selection['task']>): void {
  const { model } = store;
  const own = taskMask(model, { ...stage, task })!;
  const all = taskMask(model, stage)!;
  const others = Array.from(model.report.tasks.taskId).filter((_, row) => all[row] && !own[row]);
  if (others.length > 0) compareSides(store, { ...stage, task }, { ...stage, task: others }, true);
}

/** The slowest task of a stage and those around the median; null without several tasks. */
export function slowestTask(model: Model, row: number): [Selection, Selection] | null {
  const { stages, tasks } = model.report;
  const { stageId, attemptId } = stages[row]!;
  const rows = model.tasksOfStage[row]!;
  if (rows.length < 2) return null;
  const lasting = (task: number) => tasks.end[task]! - tasks.begin[task]!;
  const slowest = rows.reduce((most, task) => (lasting(task) > lasting(most) ? task : most));
  const stage = { stage: stageId, stageAttempt: attemptId };
  return [
    { ...stage, task: tasks.taskId[slowest]! },
    { ...stage, task: 'median' },
  ];
}

/** The slowest task of a stage against those around the median: why it is slow. */
export function explainSlowest(store: Store, row: number): void {
  const sides = slowestTask(store.model, row);
  if (sides) compareSides(store, ...sides, true);
}

/** Opens the comparison, for tasks at the event in whose samples they differ. */
function compareSides(store: Store, selection: Selection, versus: Selection, ofTasks: boolean): void {
  const { search: _search, event: _event, ...baseline } = versus;
  const event = ofTasks ? differingEvent(store.model, selection, baseline) : null;
  store.update({ selection: event ? { ...selection, event } : selection, versus: baseline, tab: 'flame' }, true);
}

/** The first preset that this recording allows. */
export function compareByDefault(store: Store): void {
  const preset = presets.find((candidate) => candidate.sides(store) !== null);
  if (preset) applyPreset(store, preset);
}
