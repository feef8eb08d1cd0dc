// SPDX-License-Identifier: Apache-2.0
import { useMemo } from 'preact/hooks';
import { duration, exact, share } from '../../state/format.ts';
import { placesFound } from '../../analysis/search.ts';
import { groupsOf, mergePhases, mergeStages } from '../../analysis/stage_groups.ts';
import { wallOfStages } from '../../analysis/time/wall_time.ts';
import { phasesOfStages } from '../../analysis/stage_phases.ts';
import { printing } from '../../state/printing.ts';
import { ranIn, stagesOfJobs } from '../../analysis/selection.ts';
import { failedTasks, lasted, stageLabel } from '../../data/model.ts';
import { usePart, useStore, type Store } from '../../state/store.ts';
import { amountColumn, clockColumn } from '../columns.tsx';
import { costColumn } from '../cost_column.ts';
import { DataTable, withValues, type Column, type Nesting } from '../data_table.tsx';
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

/**
 * Rows of the table: the stages of the report, and behind them one for each group of equal stages among those shown.
 * `groupOf` has the row of its group for each stage in one.
 */
function useStageRows(store: Store, shown: number[]) {
  const { model } = store;
  return useMemo(() => {
    const { stages } = model.report;
    const groups = groupsOf(stages, shown);
    const groupOf = new Map(groups.flatMap((group, at) => group.map((row) => [row, stages.length + at] as const)));
    const walls = wallOfStages(model);
    const phases = phasesOfStages(model);
    const lengths = stages.map((stage) => lasted(stage));
    const sum = (values: number[], group: number[]) => group.reduce((total, row) => total + values[row]!, 0);
    return {
      groups,
      groupOf,
      stages: [...stages, ...groups.map((group) => mergeStages(model, group))],
      walls: [...walls, ...groups.map((group) => sum(walls, group))],
      lengths: [...lengths, ...groups.map((group) => sum(lengths, group))],
      phases: [...phases, ...groups.map((group) => mergePhases(group.map((row) => phases[row]!)))],
    };
  }, [model, shown]);
}

export function StagesTab() {
  const store = useStore();
  const { report } = store.model;
  const { job, tag, sql, search, from, to } = store.selection.value;
  const rows = useMemo(() => {
    const ofJobs = stagesOfJobs(store.model, { job, tag, sql });
    return placesFound(
      report.stages.map((stage) => stage.name),
      search,
    ).filter((row) => ofJobs(report.stages[row]!) && ranIn(store.model, { from, to }, report.stages[row]!));
  }, [report, job, tag, sql, search, from, to]);
  const { groups, groupOf, stages, walls, lengths, phases } = useStageRows(store, rows);
  const [each, setEach] = usePart('each');
  const [openPart, setOpen] = usePart('groups');
  const open = openPart === '' ? [] : openPart.split(',');
  /** the group whose name is in the address by the ID of its first stage */
  const nameOf = (group: number) => stageLabel(report.stages[groups[group - report.stages.length]![0]!]!);
  const isOpen = (group: number) => open.includes(nameOf(group));
  const wall = store.model.duration * 1e6;
  const columns = useMemo<Column[]>(() => {
    const metric = (name: string, label: string, unit: string, width: string, hint?: string) =>
      amountColumn(name, label, unit, (row) => stages[row]!.totals[name], width, hint);
    return withValues(
      optional,
      [...report.stages.keys()],
      [
        {
          id: 'id',
          label: 'Stage',
          width: '60px',
          value: (row) => stages[row]!.stageId + stages[row]!.attemptId / 1000,
          show: (row) => (row < report.stages.length ? stageLabel(stages[row]!) : <span class="quiet">{stageLabel(stages[row]!)}, …</span>),
        },
        {
          id: 'name',
          label: 'Name',
          least: 212,
          text: true,
          value: (row) => stages[row]!.name,
          show: (row) => (
            <span class="stage-cell">
              {row < report.stages.length ? (
                each === '' && groupOf.has(row) && <i class="twig" />
              ) : (
                <i class="twig">{isOpen(row) ? '▾' : '▸'}</i>
              )}
              <StatusMark status={stages[row]!.status} />
              <LongName
                text={
                  row < report.stages.length ? stages[row]!.name : `${stages[row]!.name} ×${groups[row - report.stages.length]!.length}`
                }
              />
            </span>
          ),
          title: (row) => stages[row]!.details || stages[row]!.name,
        },
        {
          id: 'share',
          label: 'Share of wall time',
          width: '176px',
          hint: 'Its part of the wall time, as on the time axis, split into what its tasks did',
          value: (row) => walls[row]! / wall,
          title: (row) => (walls[row]! > 0 ? exact(walls[row], 'ns') : 'Ran beside stages that ended later, or among the shorter parts'),
          show: (row) =>
            walls[row]! > 0 ? (
              <span class="share-cell">
                <PhaseBar phases={phases[row]!} part={walls[row]! / wall} />
                <span class="quiet">{duration(walls[row]!)}</span>
                <span>{share(walls[row]! / wall)}</span>
              </span>
            ) : (
              <span class="quiet">–</span>
            ),
        },
        amountColumn('wall', 'Duration', 'ns', (row) => lengths[row]! * 1e6, '84px', 'From submission to completion'),
        {
          id: 'quantiles',
          label: 'Task median / max',
          width: '188px',
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
  }, [stages, store, each, openPart]);
  const { selection, tasksOf } = store.view.value;
  const detail = openStage(store, tasksOf, walls, rows, groups);
  // a sheet of paper has no room for all columns either
  const isNarrow = detail !== undefined && (window.innerWidth > besides || printing.value);
  const shown = useMemo(() => (isNarrow ? columns.filter(({ id }) => besideDetail.has(id)) : columns), [columns, isNarrow]);
  const shownRows = useMemo(() => {
    if (each !== '' || groups.length === 0) return rows;
    const seen = rows.filter((row) => !groupOf.has(row) || isOpen(groupOf.get(row)!));
    return [...seen, ...groups.map((_, at) => report.stages.length + at)];
  }, [rows, groups, each, openPart]);
  const nested = useMemo<Nesting | undefined>(
    () =>
      each !== '' || groups.length === 0
        ? undefined
        : { parentOf: (row) => groupOf.get(row), isOpen: (row) => (row < report.stages.length ? undefined : isOpen(row)) },
    [rows, groups, each, openPart],
  );
  const attemptOf = (row: number) => `${report.stages[row]!.stageId}.${report.stages[row]!.attemptId}`;
  const pick = (row: number) => {
    const isGroup = row >= report.stages.length;
    if (isGroup) {
      const name = nameOf(row);
      setOpen((isOpen(row) ? open.filter((other) => other !== name) : [...open, name]).join(','));
    }
    store.update({ tasksOf: attemptOf(isGroup ? longest(groups[row - report.stages.length]!, walls) : row) }, true);
  };
  const isShown = (row: number) => {
    if (row >= report.stages.length) return !isOpen(row) && detail !== undefined && groupOf.get(detail) === row;
    const { stageId, attemptId } = report.stages[row]!;
    return row === detail || (stageId === selection.stage && (selection.stageAttempt ?? attemptId) === attemptId);
  };
  return (
    <div class={`stages${detail === undefined ? '' : ' with-detail'}`}>
      <div class="stages-list">
        <FilteredRows shown={rows.length} total={report.stages.length} what="stages" filters={['job', 'tag', 'sql', 'time', 'search']} />
        {groups.length > 0 && (
          <label class="stage-groups">
            <input type="checkbox" checked={each === ''} onChange={() => setEach(each === '' ? '1' : '')} /> Equal stages in one row
          </label>
        )}
        <DataTable
          label="Stages"
          columns={shown}
          rows={shownRows}
          savedRows={rows}
          nested={nested}
          sort="share"
          tools
          maxHeight={detail === undefined || isNarrow ? 720 : 240}
          isSelected={isShown}
          pick={pick}
          href={(row) => (row < report.stages.length ? store.hrefOf({ tasksOf: attemptOf(row) }) : undefined)}
        />
      </div>
      {detail !== undefined && <StageDetail key={detail} row={detail} phases={phases[detail]!} wall={walls[detail]!} />}
    </div>
  );
}

const longest = (rows: number[], size: number[]) => rows.reduce((most, row) => (size[row]! > size[most]! ? row : most), rows[0]!);

/**
 * The row of the stage whose details are shown: the one of the address, else of the selection, else the one with the most time, in the
 * group with the most time.
 */
function openStage(store: Store, tasksOf: string, walls: number[], rows: number[], groups: number[][]): number | undefined {
  if (tasksOf === closedDetail) return undefined;
  const { report, stageById } = store.model;
  const { stage, stageAttempt = 0 } = store.view.value.selection;
  const known = stageById.get(tasksOf) ?? stageById.get(`${stage}.${stageAttempt}`);
  if (known !== undefined || rows.length === 0) return known;
  const sizes = walls.some((ns) => ns > 0) ? walls : report.stages.map(({ totals }) => totals.executorRunTimeNs ?? 0);
  const largest = longest(rows, sizes);
  const sum = (group: number[]) => group.reduce((total, row) => total + sizes[row]!, 0);
  const group = groups.reduce<number[]>((most, other) => (sum(other) > sum(most) ? other : most), [largest]);
  return longest(group, sizes);
}

function gcShare(totals: Record<string, number>): number {
  // Spark rounds both to ms and counts a collection also for tasks that it stopped before they ran
  return totals.executorRunTimeNs ? Math.min(1, (totals.gcTimeNs ?? 0) / totals.executorRunTimeNs) : 0;
}

function skewOf(quantiles: number[] | undefined): number {
  return quantiles?.[2] ? quantiles[4]! / quantiles[2] : 0;
}
