// SPDX-License-Identifier: Apache-2.0
// A selection turned into masks over tasks, executors and threads, and then into weights over stacks.
import { Category, ThreadState, type Job, type PlanNode, type Selection, type SqlExecution, type Stage } from '../data/contract.ts';
import type { Model } from '../data/model.ts';
import { orderOf } from './order.ts';
import { placesOf, samplePhases, type SamplePhase } from './sample_phases.ts';

/** Conditions for samples. A null mask lets everything through. */
export interface SampleFilter {
  event: number;
  tasks: Uint8Array | null;
  executors: Uint8Array | null;
  threads: Uint8Array | null;
  /** of the samples' column; 0 lets all through */
  operator: number;
  /** of the samples of tasks; null lets all through */
  phase: SamplePhase | null;
  /** buckets, the end excluded */
  fromBucket: number;
  toBucket: number;
  /** threads asleep outside tasks: in wall-clock samples the JVM's dozens of waiting threads would bury the job */
  hideIdle: boolean;
}

/** The event a selection means: its own, else CPU, else the first there is. */
export function eventOf(model: Model, selection: Selection) {
  const { events } = model.report;
  return events.find((event) => event.name === selection.event) ?? events.find((event) => event.name === 'cpu') ?? events[0];
}

/** The operator that a selection means; 0 if it means none, -1 if there is none such. */
export function operatorOf(model: Model, selection: Selection): number {
  if (selection.sql === undefined || selection.node === undefined) return 0;
  let next = 0;
  const find = (node: PlanNode): number | undefined => {
    if (next++ === selection.node) return node.operator;
    for (const child of node.children ?? []) {
      const found = find(child);
      if (found !== undefined) return found;
    }
    return undefined;
  };
  const plan = model.sqlById.get(selection.sql)?.plan;
  return (plan && find(plan)) ?? -1;
}

/** Whether a job is in the selection: its ID, its tags, its query. */
export const hasJob = ({ job, tag, sql }: Selection, { jobId, jobTags, sqlExecutionId }: Job): boolean =>
  (job === undefined || jobId === job) && (tag === undefined || jobTags.includes(tag)) && (sql === undefined || sqlExecutionId === sql);

/** Whether a stage belongs to a job of the selection, or to its query. */
export function stagesOfJobs({ report }: Model, { job, tag, sql }: Selection): (stage: Stage) => boolean {
  if (job === undefined && tag === undefined && sql === undefined) return () => true;
  const jobs = report.jobs.filter((one) => hasJob({ job, tag }, one));
  const ids = new Set(jobs.map(({ jobId }): number | undefined => jobId));
  const stages = new Set(jobs.flatMap(({ stageIds }) => stageIds));
  const ofQuery = new Set(report.jobs.flatMap((one): (number | undefined)[] => (one.sqlExecutionId === sql ? [one.jobId] : [])));
  return (stage) =>
    ((job === undefined && tag === undefined) || ids.has(stage.jobId) || stages.has(stage.stageId)) &&
    (sql === undefined || stage.sqlExecutionId === sql || ofQuery.has(stage.jobId));
}

function concernsTasks(selection: Selection): boolean {
  const { job, tag, stage, task } = selection;
  // an operator may work in the driver, outside tasks
  const sql = selection.node === undefined ? selection.sql : undefined;
  return job !== undefined || tag !== undefined || stage !== undefined || task !== undefined || sql !== undefined;
}

/** One byte a task, or null when the selection lets all samples through, those outside tasks included. */
export function taskMask(model: Model, selection: Selection): Uint8Array | null {
  if (!concernsTasks(selection)) return null;
  const { report } = model;
  const ofJobs = stagesOfJobs(model, selection);
  const stageAllowed = report.stages.map(
    (stage) =>
      (selection.stage === undefined || stage.stageId === selection.stage) &&
      (selection.stageAttempt === undefined || stage.attemptId === selection.stageAttempt) &&
      ofJobs(stage),
  );
  const { tasks } = report;
  const mask = new Uint8Array(tasks.taskId.length);
  for (let i = 0; i < mask.length; i++) mask[i] = stageAllowed[tasks.stage[i]!] ? 1 : 0;
  const { task } = selection;
  if (typeof task === 'number' || Array.isArray(task)) {
    const wanted = new Set(typeof task === 'number' ? [task] : task);
    for (let i = 0; i < mask.length; i++) if (mask[i] && !wanted.has(tasks.taskId[i]!)) mask[i] = 0;
  } else if (task === 'slowest5' || task === 'median') {
    keepRanks(model, mask, selection, task);
  }
  return mask;
}

/** One byte a task: those of the selection that ran in its time range, also for a part of it; null for all. */
export function tasksDuring(model: Model, selection: Selection): Uint8Array | null {
  const mask = taskMask(model, selection);
  if (selection.from === undefined && selection.to === undefined) return mask;
  const { begin, end } = model.report.tasks;
  return Uint8Array.from(begin, (from, task) => ((!mask || mask[task]) && overlaps(selection, from, end[task]!) ? 1 : 0));
}

/** Whether something from `begin` to `end`, ms since the application's start, was in the selection's time range. */
export function overlaps(selection: Selection, begin: number, end: number): boolean {
  return begin < (selection.to ?? Infinity) && end >= (selection.from ?? -Infinity);
}

/** Row of the stage that a selection means; -1 for none. */
export function stageRowOf(model: Model, selection: Selection | null | undefined): number {
  if (selection?.stage === undefined) return -1;
  return model.stageById.get(`${selection.stage}.${selection.stageAttempt ?? 0}`) ?? -1;
}

/** Whether a stage or query ran in the time range of a selection; without an end it runs on. */
export function ranIn(model: Model, { from, to }: Selection, span: Stage | SqlExecution): boolean {
  if (from === undefined && to === undefined) return true;
  const begin = model.since(span.submissionTime);
  return begin !== null && overlaps({ from, to }, begin, model.since(span.completionTime) ?? Infinity);
}

/**
 * Leaves the slowest 5 % of the tasks, or the 10 % around the median, at least one each. Ranks are taken inside each
 * stage attempt, so that a mixture of stages does not compare long stages with short ones.
 */
function keepRanks(model: Model, mask: Uint8Array, selection: Selection, set: 'slowest5' | 'median'): void {
  const { tasks } = model.report;
  const executors = executorMask(model, selection);
  const ofStage = new Map<number, number[]>();
  for (let i = 0; i < mask.length; i++) {
    if (!mask[i]) continue;
    mask[i] = 0;
    if (executors && !executors[tasks.executor[i]!]) continue;
    const list = ofStage.get(tasks.stage[i]!);
    if (list) list.push(i);
    else ofStage.set(tasks.stage[i]!, [i]);
  }
  for (const list of ofStage.values()) {
    const places = orderOf(
      list.map((task) => tasks.end[task]! - tasks.begin[task]!),
      true,
    );
    const n = list.length;
    const size = Math.max(1, Math.round(n * (set === 'slowest5' ? 0.05 : 0.1)));
    const first = set === 'slowest5' ? n - size : Math.floor((n - size) / 2);
    for (let k = first; k < first + size; k++) mask[list[places[k]!]!] = 1;
  }
}

export function executorMask(model: Model, selection: Selection): Uint8Array | null {
  if (selection.executor === undefined) return null;
  const others = selection.executor.startsWith('!');
  const id = others ? selection.executor.slice(1) : selection.executor;
  // "the others" are other executors; the driver does different work and would blur the comparison
  return Uint8Array.from(model.report.executors, (executor) => {
    const isNamed = id === executor.id || id === '@' + executor.host;
    return (others ? !isNamed && executor.id !== 'driver' : isNamed) ? 1 : 0;
  });
}

function threadMask(model: Model, selection: Selection): Uint8Array | null {
  const { thread } = selection;
  if (thread === undefined) return null;
  return Uint8Array.from(model.report.threads, (row) => ((typeof thread === 'number' ? row.tid === thread : row.name === thread) ? 1 : 0));
}

export function compileSelection(model: Model, selection: Selection, hideIdle: boolean): SampleFilter {
  const { bucketMs } = model.report;
  const event = eventOf(model, selection);
  return {
    event: event?.id ?? -1,
    tasks: taskMask(model, selection),
    executors: executorMask(model, selection),
    threads: threadMask(model, selection),
    operator: operatorOf(model, selection),
    phase: samplePhases[selection.phase ?? ''] ?? null,
    fromBucket: selection.from === undefined ? 0 : Math.floor(selection.from / bucketMs),
    toBucket: selection.to === undefined ? Infinity : Math.ceil(selection.to / bucketMs),
    // a selected thread is shown even if it is idle
    hideIdle: hideIdle && event?.name === 'wall' && selection.thread === undefined,
  };
}

export interface Weights {
  /** weight of each node of the model's tree, by itself */
  self: Float64Array;
  total: number;
  /** number of samples, not of rows */
  count: number;
  /** weight of omitted idle threads */
  idle: number;
}

/** Calls `visit` with each row of the sample table that the filter lets through; returns the idle weight it hid. */
export function forEachSample(model: Model, filter: SampleFilter, visit: (row: number) => void): number {
  const { bucket, event, stack, task, executor, thread, category, state, weight, operator: operators } = model.report.samples;
  const { tasks, executors, threads, operator, phase, fromBucket, toBucket, hideIdle } = filter;
  const places = phase && placesOf(model);
  let idle = 0;
  for (let row = 0; row < event.length; row++) {
    if (event[row] !== filter.event) continue;
    if (bucket[row]! < fromBucket || bucket[row]! >= toBucket) continue;
    if (tasks && (task[row]! < 0 || !tasks[task[row]!])) continue;
    if (executors && !executors[executor[row]!]) continue;
    if (threads && !threads[thread[row]!]) continue;
    if (operator && operators?.[row] !== operator) continue;
    if (places && (task[row]! < 0 || !phase!.has(places[model.nodeOfStack[stack[row]!]!]!, state[row]!))) continue;
    if (hideIdle && (category[row] === Category.IdlePool || (task[row]! < 0 && state[row] === ThreadState.Sleeping))) {
      idle += weight[row]!;
      continue;
    }
    visit(row);
  }
  return idle;
}

/** The number of rows of the sample table that the filter lets through. */
export function countSamples(model: Model, filter: SampleFilter): number {
  let rows = 0;
  forEachSample(model, filter, () => {
    rows++;
  });
  return rows;
}

export function weigh(model: Model, filter: SampleFilter): Weights {
  const { stack, weight, count } = model.report.samples;
  const { nodeOfStack } = model;
  const self = new Float64Array(model.tree.count);
  let total = 0;
  let samples = 0;
  const idle = forEachSample(model, filter, (row) => {
    self[nodeOfStack[stack[row]!]!]! += weight[row]!;
    total += weight[row]!;
    samples += count[row]!;
  });
  return { self, total, count: samples, idle };
}
