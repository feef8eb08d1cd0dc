// SPDX-License-Identifier: Apache-2.0
// The cost of functions in Python workers, the waits between them and the JVM, and the start and growth of workers.
import { useMemo } from 'preact/hooks';
import { pythonFunctions, pythonWorkers, workerCurve, type PythonFunction, type PythonWorker } from '../analysis/python_workers.ts';
import { frameOrigins, type StageWaits } from '../data/contract.ts';
import { amount, duration, exact, share } from '../state/format.ts';
import { useStore } from '../state/store.ts';
import { amountColumn, clockColumn, plainColumn } from './columns.tsx';
import { DataTable, type Column } from './data_table.tsx';
import { FoundTable } from './found_table.tsx';
import { FunctionName } from './flame/function_name.tsx';
import { MetricGraph } from './metric_graph.tsx';
import { plural } from './text.ts';

const graphHeight = 120;
/** More lines cannot be told apart. */
const mostWorkers = 8;

export function PythonTab() {
  const store = useStore();
  const { model } = store;
  const { udfs, waits } = model.report;
  const workers = useMemo(() => pythonWorkers(model), [model]);
  const functions = useMemo(() => pythonFunctions(model), [model]);
  return (
    <div class="python">
      {udfs.length > 0 && <UdfTable />}
      {waits.length > 0 && <WaitTable />}
      {functions.length > 0 && <FunctionTable functions={functions} />}
      {workers.length > 0 && <Workers workers={workers} />}
    </div>
  );
}

/** Functions that run in the workers, whoever wrote them. */
function FunctionTable({ functions }: { functions: PythonFunction[] }) {
  const store = useStore();
  const { model } = store;
  const whole = functions.reduce((sum, { self }) => sum + self, 0);
  const columns = useMemo<Column[]>(() => {
    const nameOf = (row: number) => model.functions.name[functions[row]!.label]!;
    return [
      { id: 'name', label: 'Function', text: true, value: nameOf, show: (row) => <FunctionName name={nameOf(row)} />, title: nameOf },
      {
        id: 'origin',
        label: 'Of',
        text: true,
        width: '150px',
        value: (row) => frameOrigins[model.functions.origin[functions[row]!.label]!]!,
      },
      amountColumn('self', 'CPU itself', 'ns', (row) => functions[row]!.self, '100px'),
      {
        id: 'share',
        label: 'Share',
        width: '74px',
        hint: 'Of the sampled CPU time in Python functions',
        value: (row) => functions[row]!.self,
        show: (row) => share(functions[row]!.self / whole),
      },
    ];
  }, [functions, model]);
  const viewOf = (row: number) => ({ sandwich: model.functions.name[functions[row]!.label]!, table: false, pyspark: true });
  return (
    <section aria-label="CPU time by function">
      <h2 class="section-title">
        Functions <span class="quiet">by CPU time of their own, without callees; shares of {duration(whole)}, the daemon included</span>
      </h2>
      <DataTable
        label="Functions by own CPU time"
        columns={columns}
        rows={[...functions.keys()]}
        sort="self"
        maxHeight={260}
        href={(row) => store.hrefOf({ tab: 'flame', selection: { event: 'cpu' }, versus: null, ...viewOf(row) })}
        pick={(row) => {
          store.goTo({ event: 'cpu' });
          store.update(viewOf(row));
        }}
      />
    </section>
  );
}

/** Start and growth of the workers as processes. */
function Workers({ workers }: { workers: PythonWorker[] }) {
  const store = useStore();
  const { model } = store;
  const { window } = store.view.value;
  const curve = useMemo(() => workerCurve(model, mostWorkers), [model]);
  const columns = useMemo<Column[]>(() => {
    const grown = (row: number) => workers[row]!.peakBytes - workers[row]!.firstBytes;
    const bytes = (id: string, label: string, value: (row: number) => number, hint: string) =>
      plainColumn(id, label, 'bytes', value, '110px', hint);
    return [
      { id: 'pid', label: 'PID', width: '80px', value: (row) => workers[row]!.pid },
      { id: 'executor', label: 'Executor', text: true, value: (row) => model.executorName(workers[row]!.executor) },
      clockColumn(
        'first',
        'Started',
        (row) => workers[row]!.first,
        (ms) => store.dateAt(ms),
        '90px',
      ),
      plainColumn(
        'life',
        'Lived',
        'ns',
        (row) => (workers[row]!.last - workers[row]!.first) * 1e6,
        '90px',
        'From the first to the last measurement',
      ),
      bytes('firstBytes', 'At start', (row) => workers[row]!.firstBytes, 'Resident memory when it was first measured'),
      bytes('peakBytes', 'Peak', (row) => workers[row]!.peakBytes, 'Largest resident memory'),
      bytes('grown', 'Growth', grown, 'From the first measurement to the peak'),
    ];
  }, [workers, model, store]);
  return (
    <section aria-label="Python workers">
      <h2 class="section-title">
        Workers <span class="quiet">start and growth of {plural(workers.length, 'worker')}</span>
      </h2>
      {curve && <MetricGraph curve={curve} axis={window ?? { from: 0, to: model.duration }} height={graphHeight} />}
      <DataTable label="Python workers" columns={columns} rows={[...workers.keys()]} sort="grown" maxHeight={260} />
    </section>
  );
}

function UdfTable() {
  const store = useStore();
  const { udfs } = store.model.report;
  const { stage } = store.selection.value;
  const texts = useMemo(() => udfs.map(({ name, file }) => `${name} ${file}`), [udfs]);
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
      { id: 'type', label: 'Kind', text: true, width: '180px', hint: 'PySpark’s evaluation type', value: (row) => udfs[row]!.evalType },
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
      <h2 class="section-title">
        User-defined functions <span class="quiet">with all that they call</span>
      </h2>
      <FoundTable
        label="Functions in Python workers"
        what="functions"
        texts={texts}
        filters={['stage']}
        isIn={(row) => stage === undefined || udfs[row]!.stages.includes(stage)}
        columns={columns}
        sort="cpu"
        maxHeight={420}
        href={(row) => store.hrefWith({ search: udfs[row]!.name }, store.tabOfSelections)}
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
  const selectionOf = (row: number) => ({ stage: waits[row]!.stageId, stageAttempt: undefined, event: 'wall' });
  return (
    <section aria-label="Waits of the JVM and Python">
      <h2 class="section-title">Who waits for whom</h2>
      <DataTable
        label="Waits of the JVM and Python"
        columns={columns}
        rows={[...waits.keys()]}
        sort="stage"
        ascending
        maxHeight={420}
        href={(row) => store.hrefWith(selectionOf(row), store.tabOfSelections)}
        pick={(row) => store.show(selectionOf(row))}
      />
      <p class="quiet note">Shares of task time per stage, from wall-clock samples of task threads in the JVM.</p>
    </section>
  );
}
