// SPDX-License-Identifier: Apache-2.0
// One stage: its tasks as points and by phase, quantiles of its metrics, its executors, all of its tasks.
import { useMemo } from 'preact/hooks';
import { tasksLeftOut } from '../analysis/executors.ts';
import { taskMask } from '../analysis/selection.ts';
import { localities, taskStatuses } from '../data/contract.ts';
import { amount, clock, count, exact } from '../state/format.ts';
import { useStore } from '../state/store.ts';
import { applyPreset, compareWithOthers, presets } from './compare.ts';
import { DataTable, type Column } from './data_table.tsx';
import { Amount } from './amount.tsx';
import { describeTask } from './describe.ts';
import { LongName } from './long_name.tsx';
import { PhaseMap } from './phase_map.tsx';
import { StageExecutors } from './stage_executors.tsx';
import { StageNeighbors } from './stage_neighbors.tsx';
import { TaskScatter } from './task_scatter.tsx';

export function StageDetail({ row }: { row: number }) {
  const store = useStore();
  const { report } = store.model;
  const stage = report.stages[row]!;
  const { metrics, tasks } = report;
  const rows = store.model.tasksOfStage[row]!;
  const used = useMemo(() => metrics.filter(({ name }) => (stage.totals[name] ?? 0) > 0), [metrics, stage]);
  const here = { stage: stage.id, stageAttempt: stage.attempt };
  const leftOut = Math.min(tasksLeftOut(store.model), stage.taskCount - rows.length);
  const { task, stage: selected, stageAttempt } = store.selection.value;
  const isHere = selected === stage.id && (stageAttempt ?? stage.attempt) === stage.attempt;
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
      { id: 'tid', label: 'TID', width: '62px', value: (task) => tasks.id[task]! },
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
      {
        id: 'begin',
        label: 'Begin',
        width: '78px',
        value: (task) => tasks.begin[task]!,
        show: (task) => clock(tasks.begin[task]!),
        title: (task) => store.dateAt(tasks.begin[task]!),
      },
      ...used.map(
        ({ name, label, unit }): Column => ({
          id: name,
          label,
          width: '98px',
          value: (task) => tasks[name]?.[task] ?? 0,
          show: (task) => <Amount value={tasks[name]?.[task]} unit={unit} />,
          title: (task) => exact(tasks[name]?.[task], unit),
        }),
      ),
    ];
  }, [tasks, used, report]);
  const stragglers = presets.find(({ id }) => id === 'stragglers')!;
  return (
    <section class="stage-detail" aria-label={`Stage ${stage.id}`}>
      <div class="section-bar">
        <h2>
          Stage {stage.id}
          {stage.attempt > 0 && `.${stage.attempt}`}{' '}
          <span class="quiet">
            <LongName text={stage.name} />
          </span>
        </h2>
        {report.events.length > 0 && (
          <button onClick={() => store.show(here)}>Flame graph{task !== undefined && isHere ? ` of ${describeTask(task)}` : ''}</button>
        )}
        {task !== undefined && isHere && <button onClick={() => compareWithOthers(store, here, task)}>Compare with the other tasks</button>}
        <button
          disabled={rows.length < 2}
          onClick={() => {
            store.select({ ...here, task: undefined });
            applyPreset(store, stragglers);
          }}>
          Slowest 5% against median
        </button>
        {stage.sql >= 0 && <button onClick={() => store.select({ sql: stage.sql }, { tab: 'sql' })}>SQL {stage.sql}</button>}
        <button onClick={() => store.update({ tasksOf: '' }, true)}>Close</button>
      </div>
      {leftOut > 0 && (
        <p class="warn note">
          {count(rows.length)} of {count(stage.taskCount)} tasks are in this page. The quantiles and sums cover all of them.
        </p>
      )}
      {rows.length > 1 && (
        <div class="stage-charts">
          <TaskScatter stage={stage} rows={rows} />
          <PhaseMap stage={stage} rows={rows} />
        </div>
      )}
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
      {rows.length === 0 ? (
        <p class="quiet note">The recording has no tasks of this stage.</p>
      ) : (
        <>
          <h2 class="section-title">Executors</h2>
          <StageExecutors stage={stage} rows={rows} />
          <h2 class="section-title">Tasks</h2>
          <DataTable
            label={`Tasks of stage ${stage.id}`}
            columns={columns}
            rows={rows}
            sort="durationNs"
            maxHeight={520}
            pick={(task) => store.show({ ...here, task: tasks.id[task]! })}
            isSelected={(task) => chosen !== null && chosen[task] === 1}
          />
        </>
      )}
    </section>
  );
}
