// SPDX-License-Identifier: Apache-2.0
// One stage: its tasks as points, its phases, quantiles of its metrics, its executors, all of its tasks.
import { useEffect, useMemo, useState } from 'preact/hooks';
import { tasksLeftOut } from '../../analysis/executors.ts';
import type { StagePhases } from '../../analysis/stage_phases.ts';
import { taskMask } from '../../analysis/selection.ts';
import { localities, taskStatuses } from '../../data/contract.ts';
import { failedTasks, stageLabel } from '../../data/model.ts';
import { amount, count, duration, exact, share } from '../../state/format.ts';
import { useStore } from '../../state/store.ts';
import { compareTasks, sharedCode } from '../../analysis/compared_tasks.ts';
import { differenceInWords } from '../task_difference.ts';
import { compareWithOthers, explainSlowest, slowestTask } from '../compare.ts';
import { DataTable, type Column } from '../data_table.tsx';
import { amountColumn, clockColumn } from '../columns.tsx';
import { describeTask } from '../describe.ts';
import { LongName } from '../long_name.tsx';
import { PhaseList } from '../time/phase_bar.tsx';
import { StageExecutors } from './stage_executors.tsx';
import { StageNeighbors } from './stage_neighbors.tsx';
import { StageGraph } from './stage_graph.tsx';
import { TaskScatter } from './task_scatter.tsx';

/** In the place of a stage: the panel is closed. */
export const closedDetail = '-';

export function StageDetail({ row, phases, wall }: { row: number; phases: StagePhases; wall: number }) {
  const store = useStore();
  const { report } = store.model;
  const stage = report.stages[row]!;
  const { sqlExecutionId: sql } = stage;
  const { metrics, tasks } = report;
  const rows = store.model.tasksOfStage[row]!;
  const used = useMemo(() => metrics.filter(({ name }) => (stage.totals[name] ?? 0) > 0), [metrics, stage]);
  const isWhole = useLater(rows.length > manyTasks);
  const here = { stage: stage.stageId, stageAttempt: stage.attemptId };
  const leftOut = Math.min(tasksLeftOut(store.model), stage.numTasks - rows.length);
  const { task, stage: selected, stageAttempt } = store.selection.value;
  const isHere = selected === stage.stageId && (stageAttempt ?? stage.attemptId) === stage.attemptId;
  const chosen = useMemo(() => (task === undefined || !isHere ? null : taskMask(store.model, { ...here, task })), [task, isHere, row]);
  const columns = useMemo<Column[]>(() => {
    const executor = (task: number) => report.executors[tasks.executor[task]!]?.id ?? '?';
    return [
      {
        id: 'index',
        label: 'Index',
        width: '58px',
        value: (task) => tasks.index[task]!,
        show: (task) => (tasks.attempt[task] ? `${tasks.index[task]}.${tasks.attempt[task]}` : tasks.index[task]),
      },
      { id: 'tid', label: 'TID', width: '62px', value: (task) => tasks.taskId[task]! },
      {
        id: 'status',
        label: 'Status',
        width: '92px',
        text: true,
        value: (task) => taskStatuses[tasks.status[task]!] ?? '',
        show: (task) => (
          <span class={tasks.status[task] === 2 ? 'bad' : ''}>
            {taskStatuses[tasks.status[task]!]}
            {tasks.speculative[task] ? ' (spec.)' : ''}
          </span>
        ),
      },
      { id: 'executor', label: 'Executor', width: '76px', text: true, value: executor },
      { id: 'locality', label: 'Locality', width: '84px', text: true, value: (task) => localities[tasks.locality[task]!] ?? '' },
      clockColumn(
        'begin',
        'Begin',
        (task) => tasks.begin[task],
        (ms) => store.dateAt(ms),
        '78px',
      ),
      ...used.map(({ name, label, unit }) => amountColumn(name, label, unit, (task) => tasks[name]?.[task], '98px')),
    ];
  }, [tasks, used, report]);
  const [p50, max] = [stage.quantiles.durationNs?.[2] ?? 0, stage.quantiles.durationNs?.[4] ?? 0];
  return (
    <section class="stage-detail" aria-label={`Stage ${stage.stageId}`}>
      <div class="stage-head">
        <h2>Stage {stageLabel(stage)}</h2>
        <p class="stage-name" title={stage.details || stage.name}>
          <LongName text={stage.name} />
        </p>
        <button class="icon" aria-label="Close" title="Close" onClick={() => store.update({ tasksOf: closedDetail }, true)}>
          ×
        </button>
      </div>
      <p class="stage-facts">
        {wall > 0 && (
          <>
            <b>{share(wall / (store.model.duration * 1e6))}</b> of the wall time ·{' '}
          </>
        )}
        {count(stage.numTasks)} {stage.numTasks === 1 ? 'task' : 'tasks'}
        {failedTasks(stage) > 0 && <span class="bad"> · {failedTasks(stage)} failed</span>}
        {max > 0 && (
          <>
            {' '}
            · median {duration(p50)}, max <b>{duration(max)}</b>
          </>
        )}
      </p>
      <SlowestTask row={row} />
      <div class="section-bar">
        {report.events.length > 0 && (
          <>
            <button
              class="primary"
              disabled={rows.length < 2}
              title="Compare the slowest task with those around the median"
              onClick={() => explainSlowest(store, row)}>
              Explain the slowest task
            </button>
            <button onClick={() => store.show(here)}>Flame graph{task !== undefined && isHere ? ` of ${describeTask(task)}` : ''}</button>
          </>
        )}
        {task !== undefined && isHere && <button onClick={() => compareWithOthers(store, here, task)}>Compare with the other tasks</button>}
        {sql !== undefined && <button onClick={() => store.select({ sql }, { tab: 'sql' })}>SQL {sql}</button>}
      </div>
      {leftOut > 0 && (
        <p class="warn note">
          {count(rows.length)} of {count(stage.numTasks)} tasks are in this page. The quantiles and sums cover all of them.
        </p>
      )}
      {rows.length > 1 && <TaskScatter stage={stage} rows={rows} sampled={phases.sampled} />}
      <PhaseList phases={phases} title="Phases" />
      <StageGraph jobs={[stage.jobId ?? -1]} current={row} />
      {used.length > 0 && (
        <div class="quantile-grid">
          <table class="plain">
            <thead>
              <tr>
                <th class="text">Metric of a task</th>
                <th>Min</th>
                <th>25th percentile</th>
                <th>Median</th>
                <th>75th percentile</th>
                <th>Max</th>
                <th>Sum</th>
              </tr>
            </thead>
            <tbody>
              {used.map(({ name, label, unit }) => (
                <tr key={name}>
                  <td class="text">{label}</td>
                  {[0, 1, 2, 3, 4].map((i) => (
                    <td key={i} title={exact(stage.quantiles[name]?.[i], unit)}>
                      {amount(stage.quantiles[name]?.[i], unit)}
                    </td>
                  ))}
                  <td title={exact(stage.totals[name], unit)}>{amount(stage.totals[name], unit)}</td>
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      )}
      {(stage.neighbors ?? []).length > 0 && <StageNeighbors neighbors={stage.neighbors!} />}
      {!isWhole ? null : rows.length === 0 ? (
        <p class="quiet note">The recording has no tasks of this stage.</p>
      ) : (
        <>
          <h2 class="section-title">Executors</h2>
          <StageExecutors stage={stage} rows={rows} />
          <h2 class="section-title">Tasks</h2>
          <DataTable
            label={`Tasks of stage ${stage.stageId}`}
            columns={columns}
            rows={rows}
            sort="durationNs"
            maxHeight={520}
            tools
            href={(task) => store.hrefWith({ ...here, task: tasks.taskId[task]! }, store.tabOfSelections)}
            pick={(task) => store.show({ ...here, task: tasks.taskId[task]! })}
            isSelected={(task) => chosen !== null && chosen[task] === 1}
          />
        </>
      )}
    </section>
  );
}

/** Why the slowest task takes longer than those around the median; nothing where it does not stand out. */
function SlowestTask({ row }: { row: number }) {
  const { model } = useStore();
  const words = useMemo(() => {
    const [slowest, median] = slowestTask(model, row) ?? [];
    const compared = slowest && median && compareTasks(model, slowest, median);
    if (!compared) return '';
    const sentence = differenceInWords(compared.metrics, sharedCode(model, slowest, median), ' than the median');
    return sentence && `Task ${slowest.task} takes ${sentence}`;
  }, [model, row]);
  return words ? <p class="slowest">{words}</p> : null;
}

/** The tables of so many tasks take longer than the rest of the panel, which is above them: they follow once it is drawn. */
const manyTasks = 20_000;

function useLater(isLate: boolean): boolean {
  const [isDue, setDue] = useState(!isLate);
  useEffect(() => {
    let timer = 0;
    const frame = requestAnimationFrame(() => (timer = window.setTimeout(() => setDue(true))));
    return () => {
      cancelAnimationFrame(frame);
      clearTimeout(timer);
    };
  }, []);
  return isDue;
}
