// SPDX-License-Identifier: Apache-2.0
// The events before an application failed, in order of time: the known causes, the attempts of the task, the stage, the job.
import type { Finding } from '../../data/contract.ts';
import { type Model, stageLabel } from '../../data/model.ts';
import { stageRowOf, taskMask } from '../selection.ts';
import { stageOfFinding } from './finding_tasks.ts';

export interface ChainLink {
  /** ms since the application's start; null = unknown */
  at: number | null;
  text: string;
  detail: string;
}

const failed = 2;
/** More attempts are a number. */
const mostAttempts = 4;

/** The attempts of the task that failed most often. */
function attemptsOf(model: Model, finding: Finding): ChainLink[] {
  const { tasks } = model.report;
  const chosen = finding.evidence?.task === undefined ? null : taskMask(model, finding.evidence);
  const byIndex = new Map<number, number[]>();
  for (const row of model.tasksOfStage[stageRowOf(model, stageOfFinding(finding))] ?? []) {
    if (tasks.status[row] !== failed || (chosen && !chosen[row])) continue;
    const rows = byIndex.get(tasks.index[row]!);
    if (rows) rows.push(row);
    else byIndex.set(tasks.index[row]!, [row]);
  }
  const [rows = []] = [...byIndex.values()].sort((a, b) => b.length - a.length);
  const links = rows
    .sort((a, b) => tasks.end[a]! - tasks.end[b]!)
    .map((row) => ({
      at: tasks.end[row]!,
      text: `Task ${tasks.taskId[row]} failed`,
      detail: `partition ${tasks.index[row]}, attempt ${tasks.attempt[row]! + 1}, ${model.executorName(tasks.executor[row]!)}`,
    }));
  const others = byIndex.size - 1;
  if (others > 0 && links.length > 0) links.at(-1)!.detail += `; ${others} other partition${others === 1 ? '' : 's'} failed, too`;
  return links.length > mostAttempts ? [...links.slice(0, mostAttempts - 1), links.at(-1)!] : links;
}

/** The executors that the finding names: "Executors 2, 1 were lost". */
function lossesOf(model: Model, { rule, what }: Finding): ChainLink[] {
  const [, names = ''] = (rule === 'lost-executors' && /^Executors? (.*?) (?:was|were) lost/.exec(what)) || [];
  const ids = new Set(names.split(', '));
  return model.report.executors
    .filter(({ id, removeTime }) => ids.has(id) && removeTime)
    .map(({ id, removeTime, removeReason }) => ({ at: model.since(removeTime), text: `Executor ${id} was lost`, detail: removeReason }))
    .sort((a, b) => (a.at ?? 0) - (b.at ?? 0))
    .slice(0, mostAttempts);
}

export function failureChain(model: Model, finding: Finding): ChainLink[] {
  const known = (finding.failure?.chain ?? []).map(
    ({ what, text, at, task, host }): ChainLink => ({
      at: at === null ? null : model.relative(at),
      text: (text || what).replace(/\.$/, ''),
      detail: [task !== null && `task ${task}`, host && `on ${host}`].filter(Boolean).join(' '),
    }),
  );
  if (known.length > 0) return known;
  const row = stageRowOf(model, stageOfFinding(finding));
  const stage = model.report.stages[row];
  const ends: ChainLink[] = [];
  if (stage && stage.status === 'FAILED')
    ends.push({ at: model.since(stage.completionTime), text: `Stage ${stageLabel(stage)} failed`, detail: stage.name });
  const job = model.report.jobs.find(({ status, jobId }) => status === 'FAILED' && (!stage || stage.jobId === jobId));
  if (job) ends.push({ at: model.since(job.completionTime), text: `Job ${job.jobId} failed`, detail: job.name });
  return [...lossesOf(model, finding), ...attemptsOf(model, finding), ...ends].sort((a, b) => (a.at ?? 0) - (b.at ?? 0));
}
