// SPDX-License-Identifier: Apache-2.0
import { useMemo } from 'preact/hooks';
import { exact, share } from '../../state/format.ts';
import { placesFound } from '../../analysis/search.ts';
import { wallOfStages } from '../../analysis/wall_time.ts';
import { phasesOfStages } from '../../analysis/stage_phases.ts';
import { printing } from '../../state/printing.ts';
import { ranIn, stagesOfJobs } from '../../analysis/selection.ts';
import { failedTasks, lasted, stageLabel } from '../../data/model.ts';
import { useStore, type Store } from '../../state/store.ts';
import { amountColumn, clockColumn } from '../columns.tsx';
import { costColumn } from '../cost_column.ts';
import { DataTable, withValues, type Column } from '../data_table.tsx';
import { FilteredRows } from '../filter_notes.tsx';
import { LongName } from '../long_name.tsx';
import { Quantiles } from './quantiles.tsx';
import { PhaseBar } from '../time/phase_bar.tsx';
import { closedDetail, StageDetail } from './stage_detail.tsx';
import { StatusMark } from '../status_mark.tsx';

/** Columns that are there if some stage has a value. */
const optional = new Set(['cpuSamples', 'python', 'cost', 'inputBytes', 'shuffleReadBytes', 'shuffleWriteBytes', 'diskSpilledBytes']);

/** Columns that have room beside the details of a stage, on a window wider than `besides` px. */
const besideDetail = new Set(['id', 'name', 'share', 'quantiles']);
const besides = 1100;

export function StagesTab() {
  const store = useStore();
  const { report } = store.model;
  const { stages } = report;
  const { job, tag, sql, search, from, to } = store.selection.value;
  const rows = useMemo(() => {
    const ofJobs = stagesOfJobs(store.model, { job, tag, sql });
    return placesFound(
      stages.map((stage) => stage.name),
      search,
    ).filter((row) => ofJobs(stages[row]!) && ranIn(store.model, { from, to }, stages[row]!));
  }, [stages, job, tag, sql, search, from, to]);
  const wall = store.model.duration * 1e6;
  const phases = useMemo(() => phasesOfStages(store.model), [store.model]);
  const walls = useMemo(() => wallOfStages(store.model), [store.model]);
  const columns = useMemo<Column[]>(() => {
    const metric = (name: string, label: string, unit: string, width: string, hint?: string) =>
      amountColumn(name, label, unit, (row) => stages[row]!.totals[name], width, hint);
    return withValues(
      optional,
      [...stages.keys()],
      [
        {
          id: 'id',
          label: 'Stage',
          width: '72px',
          value: (row) => stages[row]!.stageId + stages[row]!.attemptId / 1000,
          show: (row) => stageLabel(stages[row]!),
        },
        {
          id: 'name',
          label: 'Name',
          text: true,
          value: (row) => stages[row]!.name,
          show: (row) => (
            <>
              <StatusMark status={stages[row]!.status} />
              <LongName text={stages[row]!.name} />
            </>
          ),
          title: (row) => stages[row]!.details || stages[row]!.name,
        },
        {
          id: 'share',
          label: 'Share of wall time',
          width: '220px',
          hint: 'Its part of the wall time, as on the time axis, split into what its tasks did',
          value: (row) => walls[row]! / wall,
          title: (row) => (walls[row]! > 0 ? exact(walls[row], 'ns') : 'Ran beside stages that ended later, or among the shorter parts'),
          show: (row) =>
            walls[row]! > 0 ? (
              <span class="share-cell">
                <PhaseBar phases={phases[row]!} part={walls[row]! / wall} />
                <span>{share(walls[row]! / wall)}</span>
              </span>
            ) : (
              <span class="quiet">–</span>
            ),
        },
        amountColumn('wall', 'Duration', 'ns', (row) => lasted(stages[row]!) * 1e6, '84px', 'From submission to completion'),
        {
          id: 'quantiles',
          label: 'Task median / max',
          width: '190px',
          hint: 'Durations: minimum, quartiles and maximum; sorted by maximum over median',
          value: (row) => skewOf(stages[row]!.quantiles.durationNs),
          saved: ['min', 'p25', 'median', 'p75', 'max'].map((name, at) => [
            `Task ${name} (ns)`,
            (row) => stages[row]!.quantiles.durationNs?.[at] ?? '',
          ]),
          show: (row) => <Quantiles values={stages[row]!.quantiles.durationNs} />,
        },
        {
          id: 'tasks',
          label: 'Tasks',
          width: '96px',
          value: (row) => stages[row]!.numTasks,
          show: (row) => (
            <>
              {stages[row]!.numTasks}
              {failedTasks(stages[row]!) > 0 && <span class="bad"> {failedTasks(stages[row]!)} failed</span>}
            </>
          ),
        },
        metric('executorRunTimeNs', 'Run time', 'ns', '86px'),
        metric('executorCpuTimeNs', 'CPU', 'ns', '76px', 'CPU time measured by Spark'),
        amountColumn('cpuSamples', 'CPU sampled', 'ns', (row) => stages[row]!.cpuSamplesNs, '106px', 'CPU time from samples'),
        amountColumn(
          'python',
          'Python wait',
          'ns',
          (row) => stages[row]!.pythonWaitNs,
          '100px',
          'Time in which the JVM waits for a Python worker, estimated from samples',
        ),
        costColumn(stages, report),
        {
          id: 'gc',
          label: 'GC',
          width: '66px',
          hint: 'Share of run time',
          value: (row) => gcShare(stages[row]!.totals),
          show: (row) => (stages[row]!.totals.executorRunTimeNs ? share(gcShare(stages[row]!.totals)) : <span class="quiet">–</span>),
          title: (row) => exact(stages[row]!.totals.gcTimeNs, 'ns'),
        },
        metric('inputBytes', 'Input', 'bytes', '80px'),
        metric('shuffleReadBytes', 'Shuffle in', 'bytes', '92px'),
        metric('shuffleWriteBytes', 'Shuffle out', 'bytes', '96px'),
        metric('diskSpilledBytes', 'Spill', 'bytes', '78px', 'Spilled to disk'),
        clockColumn(
          'begin',
          'Begin',
          (row) => store.model.since(stages[row]!.submissionTime),
          (ms) => store.dateAt(ms),
          '70px',
        ),
        { id: 'job', label: 'Job', width: '52px', value: (row) => stages[row]!.jobId ?? -1 },
      ],
    );
  }, [stages, store, phases, walls]);
  const { selection, tasksOf } = store.view.value;
  const detail = openStage(store, tasksOf, rows);
  // a sheet of paper has no room for all columns either
  const isNarrow = detail !== undefined && (window.innerWidth > besides || printing.value);
  const shown = useMemo(() => (isNarrow ? columns.filter(({ id }) => besideDetail.has(id)) : columns), [columns, isNarrow]);
  return (
    <div class={`stages${detail === undefined ? '' : ' with-detail'}`}>
      <div class="stages-list">
        <FilteredRows shown={rows.length} total={stages.length} what="stages" filters={['job', 'tag', 'sql', 'time', 'search']} />
        <DataTable
          label="Stages"
          columns={shown}
          rows={rows}
          sort="share"
          tools
          maxHeight={detail === undefined || isNarrow ? 720 : 240}
          isSelected={(row) =>
            row === detail ||
            (stages[row]!.stageId === selection.stage && (selection.stageAttempt ?? stages[row]!.attemptId) === stages[row]!.attemptId)
          }
          pick={(row) => store.update({ tasksOf: `${stages[row]!.stageId}.${stages[row]!.attemptId}` }, true)}
        />
      </div>
      {detail !== undefined && <StageDetail key={detail} row={detail} phases={phases[detail]!} wall={walls[detail]!} />}
    </div>
  );
}

/** Rows of the stage whose details are shown: the one of the address, else of the selection, else the one with the most time. */
function openStage(store: Store, tasksOf: string, rows: number[]): number | undefined {
  if (tasksOf === closedDetail) return undefined;
  const { report, stageById } = store.model;
  const { stage, stageAttempt = 0 } = store.view.value.selection;
  const known = stageById.get(tasksOf) ?? stageById.get(`${stage}.${stageAttempt}`);
  if (known !== undefined) return known;
  const walls = wallOfStages(store.model);
  const isKnown = walls.some((ns) => ns > 0);
  const size = (row: number) => (isKnown ? walls[row]! : (report.stages[row]!.totals.executorRunTimeNs ?? 0));
  return rows.reduce<number | undefined>((most, row) => (most === undefined || size(row) > size(most) ? row : most), undefined);
}

function gcShare(totals: Record<string, number>): number {
  // Spark rounds both to ms and counts a collection also for tasks that it stopped before they ran
  return totals.executorRunTimeNs ? Math.min(1, (totals.gcTimeNs ?? 0) / totals.executorRunTimeNs) : 0;
}

function skewOf(quantiles: number[] | undefined): number {
  return quantiles?.[2] ? quantiles[4]! / quantiles[2] : 0;
}
