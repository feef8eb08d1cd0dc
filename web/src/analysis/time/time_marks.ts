// SPDX-License-Identifier: Apache-2.0
// Events at a moment: executors come and go, memory runs out, collections stop a JVM, broadcasts are built.
import type { Executor } from '../../data/contract.ts';
import type { Model } from '../../data/model.ts';
import { memoryLosses } from '../memory.ts';

/** The worst first. */
export const markKinds = ['oom', 'lost', 'gc', 'removed', 'broadcast', 'added'] as const;
export type MarkKind = (typeof markKinds)[number];

/** ms since the application's start */
export interface TimeMark {
  kind: MarkKind;
  begin: number;
  end: number;
  text: string;
}

/** of a JVM's time; less is usual */
const muchGc = 0.2;
/** Reasons of executors that Spark or the program gives back. */
const inOrder =
  /decommission|idle|dynamic allocation|exited with code 0\b|exit(ed)? (status|code):? 0\b|killed by driver|shut ?down|cancel/i;

/** Whether an executor ended other than by the program's or Spark's will, and before the end. */
export function isLost(model: Model, { removeTime, removeReason }: Executor): boolean {
  const end = model.since(removeTime);
  return end !== null && removeReason !== '' && !inOrder.test(removeReason) && !(model.report.application.ended && end >= model.duration);
}

export function marksOf(model: Model): TimeMark[] {
  const { report, duration } = model;
  const marks: TimeMark[] = [];
  const put = (kind: MarkKind, begin: number | null, text: string, end = begin) => {
    if (begin !== null && begin >= 0 && begin <= duration) marks.push({ kind, begin, end: Math.min(duration, end!), text });
  };
  const losses = memoryLosses(model);
  const outOfMemory = new Set(losses.map(({ executor }) => executor));
  for (const { time, executor, text } of losses) put('oom', time, `${executor < 0 ? '' : `${model.executorName(executor)}: `}${text}`);
  report.executors.forEach((executor, row) => {
    const { id, totalCores, addTime, removeTime, removeReason } = executor;
    if (id === 'driver') return;
    const name = model.executorName(row);
    put('added', model.since(addTime), `${name} added${totalCores > 0 ? `, ${totalCores} cores` : ''}`);
    const end = model.since(removeTime);
    if (outOfMemory.has(row) || (end !== null && end >= duration && report.application.ended)) return;
    const lost = isLost(model, executor);
    put(lost ? 'lost' : 'removed', end, `${name} ${lost ? 'lost' : 'removed'}${removeReason && `: ${removeReason}`}`);
  });
  for (const job of report.jobs) {
    if (/broadcast exchange/i.test(`${job.description} ${job.jobGroup}`))
      put('broadcast', model.since(job.submissionTime), `Broadcast, job ${job.jobId}`, model.since(job.completionTime) ?? undefined);
  }
  for (const series of report.series) if (series.name === 'jvm.gc_time_ns') putCollections(model, series, put);
  return marks.sort((a, b) => a.begin - b.begin);
}

/** Runs of points with much GC, each at its highest. */
function putCollections(
  model: Model,
  { time, value, executor }: Model['report']['series'][0],
  put: (kind: MarkKind, begin: number, text: string, end: number) => void,
): void {
  for (let first = 0; first < time.length; first++) {
    if (value[first]! < muchGc) continue;
    let end = first;
    let highest = value[first]!;
    while (value[end + 1]! >= muchGc) highest = Math.max(highest, value[++end]!);
    // a point has the share since the one before
    put('gc', time[first - 1] ?? 0, `GC up to ${Math.round(100 * highest)}% of the time, ${model.executorName(executor)}`, time[end]!);
    first = end;
  }
}
