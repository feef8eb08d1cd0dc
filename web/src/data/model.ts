// SPDX-License-Identifier: Apache-2.0
// A report with the indexes that every answer needs. Built once when the page opens.
import type { Executor, Job, Report, SqlExecution, Stage } from './contract.ts';
import { buildFunctions, type Functions } from './functions.ts';
import { TreeBuilder, type CallTree } from './call_tree.ts';

export class Model {
  readonly report: Report;
  readonly functions: Functions;
  /** All stacks merged by function. */
  readonly tree: CallTree;
  readonly nodeOfStack: Uint32Array;
  readonly stageById = new Map<string, number>();
  readonly jobById = new Map<number, Job>();
  readonly sqlById = new Map<number, SqlExecution>();
  readonly tasksOfStage: number[][];
  /** ms; the complete recording on the application's clock */
  readonly duration: number;
  /** the samples are from more than one time step; a profile without times has one */
  readonly hasSteps: boolean;

  constructor(report: Report) {
    this.report = report;
    this.functions = buildFunctions(report);
    const { parent, frame } = report.stacks;
    const rows = parent.length;
    const builder = new TreeBuilder(rows + 1);
    this.nodeOfStack = new Uint32Array(rows);
    for (let row = 1; row < rows; row++) {
      this.nodeOfStack[row] = builder.child(this.nodeOfStack[parent[row]!]!, this.functions.ofFrame[frame[row]!]!);
    }
    this.tree = builder.finish();
    report.stages.forEach((stage, row) => this.stageById.set(`${stage.stageId}.${stage.attemptId}`, row));
    for (const job of report.jobs) this.jobById.set(job.jobId, job);
    for (const sql of report.sql) this.sqlById.set(sql.id, sql);
    this.tasksOfStage = report.stages.map(() => []);
    const { stage } = report.tasks;
    for (let task = 0; task < stage.length; task++) this.tasksOfStage[stage[task]!]?.push(task);
    this.duration = this.measureDuration();
    const { bucket } = report.samples;
    this.hasSteps = bucket.some((step) => step !== bucket[0]);
  }

  stageOfTask(task: number): Stage | undefined {
    return this.report.stages[this.report.tasks.stage[task]!];
  }

  executorName(row: number): string {
    const executor: Executor | undefined = this.report.executors[row];
    if (!executor) return 'unknown';
    return executor.id === 'driver' ? 'driver' : `executor ${executor.id}`;
  }

  /** ms since the application's start, from ms since the Unix epoch */
  relative(epochMs: number): number {
    return epochMs - this.report.application.startTime;
  }

  /** the same; null for a time that is not known */
  since(epochMs: number | undefined): number | null {
    return epochMs ? this.relative(epochMs) : null;
  }

  private measureDuration(): number {
    const { application, tasks, samples, bucketMs } = this.report;
    let end = application.endTime > application.startTime ? application.endTime - application.startTime : 0;
    for (let i = 0; i < tasks.end.length; i++) if (tasks.end[i]! > end) end = tasks.end[i]!;
    if (end === 0) {
      for (let i = 0; i < samples.bucket.length; i++) end = Math.max(end, (samples.bucket[i]! + 1) * bucketMs);
    }
    return Math.max(end, 1);
  }
}

/** ms from submission to completion; 0 if one of them is not known */
export const lasted = ({ submissionTime = Infinity, completionTime = 0 }: Job | Stage | SqlExecution) =>
  Math.max(0, completionTime - submissionTime);

/** "3", or "3.1" for a later attempt */
export const stageLabel = ({ stageId, attemptId }: Stage) => (attemptId ? `${stageId}.${attemptId}` : `${stageId}`);

/** Tasks of a stage that failed or were killed. */
export const failedTasks = ({ numFailedTasks, numKilledTasks }: Stage) => numFailedTasks + numKilledTasks;

/** Whether Spark's own events or logs are in it, and not only records of profilers. */
export function isOfSpark({ jobs, stages, executors }: Report): boolean {
  return jobs.length + stages.length + executors.length > 0;
}

/** Stacks and their weights alone, such as folded ones, have neither an axis of time nor a duration. */
export const hasTime = ({ report, hasSteps }: Model): boolean => !isProfileAlone(report) || hasSteps;

/** A profile without an application around it: only stacks, so the page has no overview. */
export function isProfileAlone(report: Report): boolean {
  return !!report.startTab && report.executors.length + report.series.length === 0;
}
