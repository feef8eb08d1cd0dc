// SPDX-License-Identifier: Apache-2.0
// Uses of the cores in a range of time: the phases of the tasks in it, and the rest idle.
import type { Model } from '../data/model.ts';
import { phaseLabels, phasesInTime, type PhaseTime } from './stage_phases.ts';
import { within } from './time/wall_time.ts';

export const idlePhase = 'idle';

/** An estimate: of a task that ran also before or after, samples or the part of its duration count. In the order of the phases. */
export function coreTimeIn(model: Model, from: number, to: number): PhaseTime[] {
  const { stages, tasks, executors } = model.report;
  const inside = new Float64Array(stages.length);
  const all = new Float64Array(stages.length);
  for (let task = 0; task < tasks.taskId.length; task++) {
    const begin = tasks.begin[task]!;
    const end = Math.max(begin, tasks.end[task]!);
    inside[tasks.stage[task]!]! += within({ begin, end }, from, to);
    all[tasks.stage[task]!]! += 1e6 * (end - begin);
  }
  const shares = inside.map((ns, stage) => (ns > 0 ? ns / all[stage]! : 0));
  const sums = new Map<string, number>();
  let busy = 0;
  phasesInTime(model, from, to, shares).forEach(({ parts, whole }, stage) => {
    // of the stage's tasks the page may have only some
    const known = model.tasksOfStage[stage]!.length;
    const taskTime = inside[stage]! * (known > 0 ? Math.max(1, stages[stage]!.numTasks / known) : 1);
    if (whole <= 0 || taskTime <= 0) return;
    busy += taskTime;
    for (const { phase, ns } of parts) sums.set(phase, (sums.get(phase) ?? 0) + (ns / whole) * taskTime);
  });
  const slots = executors.reduce((sum, { totalCores, addTime, removeTime }) => {
    const span = { begin: Math.max(0, model.since(addTime) ?? 0), end: model.since(removeTime) ?? model.duration };
    return sum + totalCores * within(span, from, to);
  }, 0);
  return [...Object.keys(phaseLabels), idlePhase].flatMap((phase) => {
    const ns = phase === idlePhase ? slots - busy : (sums.get(phase) ?? 0);
    return ns > 0 ? [{ phase, ns }] : [];
  });
}
