// SPDX-License-Identifier: Apache-2.0
// What the user's functions cost in Python workers, and who waits for whom.
import { useMemo } from 'preact/hooks';
import type { StageWaits } from '../data/contract.ts';
import { placesFound } from '../analysis/search.ts';
import { amount, exact, share } from '../state/format.ts';
import { useStore } from '../state/store.ts';
import { amountColumn } from './columns.tsx';
import { DataTable, type Column } from './data_table.tsx';
import { FilteredRows } from './filter_notes.tsx';

export function PythonTab() {
  const { udfs, waits } = useStore().model.report;
  return (
    <div class="python">
      {udfs.length > 0 && <UdfTable />}
      {waits.length > 0 && <WaitTable />}
    </div>
  );
}

function UdfTable() {
  const store = useStore();
  const { udfs } = store.model.report;
  const { search, stage } = store.selection.value;
  const rows = useMemo(
    () =>
      placesFound(
        udfs.map(({ name, file }) => `${name} ${file}`),
        search,
      ).filter((row) => stage === undefined || udfs[row]!.stages.includes(stage)),
    [udfs, search, stage],
  );
  const columns = useMemo<Column[]>(() => {
    const all = store.model.report.pythonCpuNs ?? 0;
    return [
      { id: 'name', label: 'Function', text: true, value: (row) => udfs[row]!.name },
      {
        id: 'place',
        label: 'Where',
        text: true,
        code: true,
        value: (row) => `${udfs[row]!.file}:${udfs[row]!.line}`,
        show: (row) => `${udfs[row]!.file.slice(udfs[row]!.file.lastIndexOf('/') + 1)}:${udfs[row]!.line}`,
        title: (row) => `${udfs[row]!.file}:${udfs[row]!.line}`,
      },
      { id: 'type', label: 'Kind', text: true, width: '230px', hint: 'PySpark’s evaluation type', value: (row) => udfs[row]!.evalType },
      {
        id: 'stages',
        label: 'Stages',
        width: '90px',
        value: (row) => udfs[row]!.stages[0] ?? -1,
        show: (row) => udfs[row]!.stages.join(', '),
      },
      amountColumn('cpu', 'CPU', 'ns', (row) => udfs[row]!.cpuNs),
      {
        id: 'share',
        label: 'Share',
        width: '74px',
        hint: `Of the ${amount(store.model.report.pythonCpuNs, 'ns')} of sampled CPU time of the Python workers`,
        value: (row) => udfs[row]!.cpuNs,
        show: (row) => (all > 0 ? share(udfs[row]!.cpuNs / all) : '–'),
      },
      amountColumn(
        'wall',
        'Wall',
        'ns',
        (row) => udfs[row]!.wallNs,
        undefined,
        'Of the worker; the flame graph of wall-clock time has the part for which the JVM waits',
      ),
      amountColumn('samples', 'Samples', 'count', (row) => udfs[row]!.samples, '80px'),
      amountColumn('rows', 'Rows', 'count', (row) => udfs[row]!.rows, '90px', 'Returned rows, if the SQL plan has them'),
    ];
  }, [udfs, store.model]);
  return (
    <section aria-label="Functions">
      <FilteredRows shown={rows.length} total={udfs.length} what="functions" filters={['stage', 'search']} />
      <DataTable
        label="Functions in Python workers"
        columns={columns}
        rows={rows}
        sort="cpu"
        maxHeight={420}
        pick={(row) => store.show({ search: udfs[row]!.name })}
      />
      <p class="quiet note">
        A function’s cost includes its callees; its share is of the CPU time of all Python workers. Click one to see it in the flame graph.
      </p>
    </section>
  );
}

const states = [
  { id: 'jvmWaitingPythonBusy', label: 'JVM waits, Python busy' },
  { id: 'jvmBusyPythonWaiting', label: 'JVM busy, Python waits' },
  { id: 'jvmBusyPythonBusy', label: 'Both busy' },
  { id: 'bothWaiting', label: 'Both wait' },
] as const;

function WaitTable() {
  const store = useStore();
  const { waits } = store.model.report;
  const columns = useMemo<Column[]>(() => {
    const total = (stage: StageWaits) => states.reduce((sum, { id }) => sum + stage[id], 0) || 1;
    return [
      { id: 'stage', label: 'Stage', width: '72px', value: (row) => waits[row]!.stageId },
      ...states.map(
        ({ id, label }): Column => ({
          id,
          label,
          width: '180px',
          value: (row) => waits[row]![id] / total(waits[row]!),
          show: (row) => share(waits[row]![id] / total(waits[row]!)),
          title: (row) => exact(waits[row]![id], 'ns'),
        }),
      ),
      { id: 'words', label: 'Summary', text: true, value: (row) => `stage ${waits[row]!.stageId}: ${waits[row]!.words}` },
    ];
  }, [waits]);
  return (
    <section aria-label="Waits of the JVM and Python">
      <DataTable
        label="Waits of the JVM and Python"
        columns={columns}
        rows={[...waits.keys()]}
        sort="stage"
        ascending
        maxHeight={420}
        pick={(row) => store.show({ stage: waits[row]!.stageId, stageAttempt: undefined, event: 'wall' })}
      />
      <p class="quiet note">Shares of task time per stage, from wall-clock samples of task threads in the JVM.</p>
    </section>
  );
}
