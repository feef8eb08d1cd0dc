// SPDX-License-Identifier: Apache-2.0
// Tasks × phases: the slowest tasks above, each cell the share of its phase, in that phase’s color.
import { useMemo } from 'preact/hooks';
import { durationOf, groupsByDuration, phases, type TaskGroup } from '../../analysis/phases.ts';
import type { Stage } from '../../data/contract.ts';
import { duration, share } from '../../state/format.ts';
import { phaseColor } from '../../charts/phase_colors.ts';
import { useStore } from '../../state/store.ts';

const mostRows = 24;
/** share */
const smallestShown = 0.005;

export function PhaseMap({ stage, rows }: { stage: Stage; rows: number[] }) {
  const store = useStore();
  const { tasks } = store.model.report;
  const dark = store.dark.value;
  const groups = useMemo(() => groupsByDuration(tasks, rows, mostRows), [tasks, rows]);
  const used = phases.flatMap((_, i) => (groups.some(({ shares }) => shares[i]! >= smallestShown) ? [i] : []));
  if (used.length === 0) return null;
  const select = (group: TaskGroup) => {
    const ids = group.tasks.map((row) => tasks.taskId[row]!);
    store.select({ stage: stage.stageId, stageAttempt: stage.attemptId, task: ids.length === 1 ? ids[0] : ids });
  };
  const name = ({ tasks: own }: TaskGroup) => (own.length === 1 ? `Task ${tasks.taskId[own[0]!]}` : `${own.length} tasks`);
  const longest = (group: TaskGroup) => duration(durationOf(tasks, group.tasks[0]!) * 1e6);
  return (
    <section class="phase-map" aria-label="Tasks by phase">
      <div class="chart-bar">
        <b>Phases</b> <span class="quiet">share of each phase, the slowest tasks first; click to select</span>
      </div>
      <table class="plain">
        <thead>
          <tr>
            <th class="text" scope="col">
              Tasks
            </th>
            <th scope="col">Up to</th>
            {used.map((i) => (
              <th key={i} scope="col">
                {phases[i]!.label}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {groups.map((group, at) => (
            <tr key={at}>
              <td class="text">
                <button class="link" onClick={() => select(group)}>
                  {name(group)}
                </button>
              </td>
              <td>{longest(group)}</td>
              {used.map((i) => (
                <td key={i} class="cell" title={`${name(group)}: ${phases[i]!.label} ${share(group.shares[i]!)}`}>
                  <i style={{ width: `${100 * group.shares[i]!}%`, background: phaseColor(phases[i]!.id, dark) }} />
                  <span>{group.shares[i]! >= smallestShown ? share(group.shares[i]!) : ''}</span>
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}
