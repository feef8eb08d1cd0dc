// SPDX-License-Identifier: Apache-2.0
import { useMemo } from 'preact/hooks';
import { curvesOf, roleInWords } from '../analysis/time/curves.ts';
import { deviations, sumByExecutor, tasksLeftOut, weightByThread } from '../analysis/executors.ts';
import { tasksDuring } from '../analysis/selection.ts';
import { amount, clock, count, date, exact, share, times } from '../state/format.ts';
import { useStore } from '../state/store.ts';
import { amountColumn, clockColumn } from './columns.tsx';
import { DataTable, withValues, type Column } from './data_table.tsx';
import { FoundTable } from './found_table.tsx';

export function ExecutorsTab() {
  const store = useStore();
  const { report } = store.model;
  return (
    <div class="executors">
      <h2 class="section-title">Executors</h2>
      <Executors />
      {report.processes.length > 0 && (
        <>
          <h2 class="section-title">Processes</h2>
          <Processes />
        </>
      )}
      {report.threads.length > 0 && (
        <>
          <h2 class="section-title">
            Threads <span class="quiet">by {store.event.value?.label ?? 'samples'} in the selection</span>
          </h2>
          <Threads />
        </>
      )}
      {report.series.length > 0 && (
        <>
          <h2 class="section-title">
            Metrics <span class="quiet">in numbers</span>
          </h2>
          <Curves />
        </>
      )}
    </div>
  );
}

/** Columns that are there if some executor has a value. */
const optional = new Set(['remove', 'deviation', 'cpuSamples', 'inputBytes', 'shuffleBytes', 'spillBytes']);

function Executors() {
  const store = useStore();
  const { model } = store;
  const { executors } = model.report;
  const selection = store.selection.value;
  const mask = useMemo(() => tasksDuring(model, selection), [model, selection]);
  const sums = useMemo(() => sumByExecutor(model, mask), [model, mask]);
  const off = useMemo(() => deviations(sums), [sums]);
  const leftOut = mask ? tasksLeftOut(model) : 0;
  const ranged = selection.from !== undefined || selection.to !== undefined;
  const rows = useMemo(() => executors.map((_, row) => row), [executors]);
  const columns = useMemo<Column[]>(() => {
    const sum = (id: keyof (typeof sums)[0], label: string, unit: string, width?: string) =>
      amountColumn(id, label, unit, (row) => sums[row]![id], width);
    return withValues(optional, rows, [
      { id: 'id', label: 'Executor', width: '90px', text: true, value: (row) => executors[row]!.id },
      { id: 'host', label: 'Host', text: true, value: (row) => executors[row]!.host },
      amountColumn('cores', 'Cores', 'count', (row) => executors[row]!.totalCores, '60px'),
      clockColumn(
        'add',
        'Added',
        (row) => model.since(executors[row]!.addTime),
        (ms) => store.dateAt(ms),
        '76px',
      ),
      {
        id: 'remove',
        label: 'Removed',
        width: '150px',
        text: true,
        value: (row) => executors[row]!.removeTime ?? 0,
        title: (row) => [date(executors[row]!.removeTime ?? 0), executors[row]!.removeReason].filter(Boolean).join(' '),
        show: (row) =>
          executors[row]!.removeTime ? (
            <>
              {clock(model.relative(executors[row]!.removeTime!))} <span class="quiet">{executors[row]!.removeReason}</span>
            </>
          ) : (
            <span class="quiet">–</span>
          ),
      },
      {
        id: 'deviation',
        label: 'Against the median',
        width: '160px',
        text: true,
        hint: 'Where it is farthest from the median of all executors that ran tasks; empty within 1.5 times',
        value: (row) => (off[row] ? `${off[row].ratio.toFixed(2).padStart(9, '0')} ${off[row].label}` : ''),
        show: (row) =>
          off[row] && (
            <>
              <b>{times(off[row].ratio)}</b> the {off[row].label}
            </>
          ),
        title: (row) => (off[row] ? `${times(off[row].ratio)} the ${off[row].label} of the median executor` : ''),
      },
      sum('tasks', 'Tasks', 'count', '70px'),
      sum('failed', 'Failed', 'count', '70px'),
      sum('runNs', 'Run time', 'ns'),
      sum('cpuNs', 'CPU', 'ns'),
      amountColumn(
        'cpuSamples',
        'CPU sampled',
        'ns',
        (row) => executors[row]!.cpuSamplesNs,
        '112px',
        'CPU time of the process, from samples',
      ),
      {
        id: 'gc',
        label: 'GC',
        width: '66px',
        hint: 'Share of run time',
        value: (row) => sums[row]!.gcNs / (sums[row]!.runNs || 1),
        show: (row) => (sums[row]!.runNs ? share(Math.min(1, sums[row]!.gcNs / sums[row]!.runNs)) : <span class="quiet">–</span>),
        title: (row) => exact(sums[row]!.gcNs, 'ns'),
      },
      sum('inputBytes', 'Input', 'bytes'),
      sum('shuffleBytes', 'Shuffle', 'bytes'),
      sum('spillBytes', 'Spill', 'bytes'),
    ]);
  }, [executors, rows, sums, model]);
  return (
    <>
      {mask && (
        <p class="filter-note quiet">
          Sums over the selected tasks{ranged && ', counted whole if they ran in the time range'}.
          {leftOut > 0 && <span class="warn"> {count(leftOut)} tasks are not in this page; what they add is missing here.</span>}
        </p>
      )}
      <DataTable
        label="Executors"
        columns={columns}
        rows={rows}
        sort="id"
        ascending
        maxHeight={300}
        isSelected={(row) => executors[row]!.id === selection.executor}
        href={(row) => store.hrefWith({ executor: executors[row]!.id, thread: undefined }, store.tabOfSelections)}
        pick={(row) => store.show({ executor: executors[row]!.id, thread: undefined })}
      />
    </>
  );
}

function Processes() {
  const store = useStore();
  const { processes } = store.model.report;
  const texts = useMemo(() => processes.map(({ role, command }) => `${roleInWords(role)} ${command}`), [processes]);
  const columns = useMemo<Column[]>(
    () => [
      { id: 'pid', label: 'PID', width: '80px', value: (row) => processes[row]!.pid },
      { id: 'role', label: 'Role', width: '150px', text: true, value: (row) => roleInWords(processes[row]!.role) },
      { id: 'executor', label: 'Executor', width: '110px', text: true, value: (row) => store.model.executorName(processes[row]!.executor) },
      { id: 'command', label: 'Command', text: true, code: true, value: (row) => processes[row]!.command },
    ],
    [processes, store],
  );
  return <FoundTable label="Processes" what="processes" texts={texts} columns={columns} sort="executor" ascending maxHeight={240} />;
}

function Threads() {
  const store = useStore();
  const { model } = store;
  const { threads } = model.report;
  const filter = store.filters.value[0]!;
  const weights = useMemo(() => weightByThread(model, filter), [model, filter]);
  const unit = store.event.value?.unit ?? 'ns';
  const texts = useMemo(() => threads.map(({ name }) => name), [threads]);
  const columns = useMemo<Column[]>(
    () => [
      { id: 'tid', label: 'TID', width: '80px', value: (row) => threads[row]!.tid },
      { id: 'name', label: 'Name', text: true, value: (row) => threads[row]!.name },
      { id: 'executor', label: 'Executor', width: '130px', text: true, value: (row) => model.executorName(threads[row]!.executor) },
      { id: 'kind', label: 'Kind', width: '90px', text: true, value: (row) => threads[row]!.kind },
      amountColumn('weight', store.event.value?.label ?? 'Weight', unit, (row) => weights[row], '120px'),
    ],
    [threads, weights, unit, model],
  );
  const { thread } = store.selection.value;
  return (
    <FoundTable
      label="Threads"
      what="threads"
      texts={texts}
      columns={columns}
      sort="weight"
      maxHeight={300}
      isSelected={(row) => threads[row]!.tid === thread || threads[row]!.name === thread}
      pick={(row) => store.show({ thread: threads[row]!.tid, executor: model.report.executors[threads[row]!.executor]?.id })}
    />
  );
}

/** The table of the timeline's charts. */
function Curves() {
  const store = useStore();
  const lines = useMemo(
    () =>
      curvesOf(store.model, null).flatMap((curve) =>
        curve.lines.map((line) => {
          const values = line.value.filter((value): value is number => value !== null);
          const sum = values.reduce((total, value) => total + value, 0);
          return {
            curve: curve.label,
            unit: curve.unit,
            line: line.label,
            points: values.length,
            mean: sum / Math.max(1, values.length),
            least: values.reduce((a, b) => Math.min(a, b), Infinity),
            most: values.reduce((a, b) => Math.max(a, b), -Infinity),
          };
        }),
      ),
    [store.model],
  );
  const rows = useMemo(() => lines.map((_, row) => row), [lines]);
  const columns = useMemo<Column[]>(() => {
    const number = (id: 'least' | 'mean' | 'most', label: string): Column => ({
      id,
      label,
      width: '110px',
      value: (row) => lines[row]![id],
      show: (row) => amount(lines[row]![id], lines[row]!.unit),
      title: (row) => exact(lines[row]![id], lines[row]!.unit),
    });
    return [
      { id: 'curve', label: 'Metric', text: true, value: (row) => lines[row]!.curve },
      { id: 'line', label: 'Of', text: true, value: (row) => lines[row]!.line },
      number('least', 'Min'),
      number('mean', 'Mean'),
      number('most', 'Max'),
      { id: 'points', label: 'Points', width: '80px', value: (row) => lines[row]!.points },
    ];
  }, [lines]);
  return <DataTable label="Curves" columns={columns} rows={rows} sort="curve" ascending maxHeight={300} />;
}
