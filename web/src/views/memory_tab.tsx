// SPDX-License-Identifier: Apache-2.0
// Memory by executor: its parts over time, spill, the peaks that Spark measured, and where memory ran out.
import { useMemo } from 'preact/hooks';
import { memoryCurves, memoryLosses, peakNames, spillCurve } from '../analysis/memory.ts';
import { executorMask } from '../analysis/selection.ts';
import type { Model } from '../data/model.ts';
import { clock } from '../state/format.ts';
import { useStore } from '../state/store.ts';
import { amountColumn } from './columns.tsx';
import { DataTable, type Column } from './data_table.tsx';
import { MetricGraph } from './metric_graph.tsx';
import { plural } from './text.ts';

const graphHeight = 140;
const shownExecutors = 8;

export function MemoryTab() {
  const store = useStore();
  const { model } = store;
  const { executor } = store.selection.value;
  const { window } = store.view.value;
  const mask = useMemo(() => executorMask(model, { executor }), [model, executor]);
  const curves = useMemo(() => memoryCurves(model, mask), [model, mask]);
  const spill = useMemo(() => spillCurve(model, mask), [model, mask]);
  const losses = useMemo(() => memoryLosses(model), [model]);
  const axis = window ?? { from: 0, to: model.duration };
  const breaks = useMemo(() => losses.map(({ time }) => ({ time, label: 'out of memory' })), [losses]);
  return (
    <div class="memory">
      {losses.length > 0 && (
        <section aria-label="Out of memory">
          <h2 class="section-title bad">
            Out of memory <span class="quiet">red lines in the charts</span>
          </h2>
          <ul class="notices note">
            {losses.map(({ time, executor: row, text }, i) => (
              <li key={i}>
                <button class="link" title={store.dateAt(time)} onClick={() => store.update({ moment: time })}>
                  {clock(time)}
                </button>{' '}
                {row >= 0 && `${model.executorName(row)}: `}
                {text}
              </li>
            ))}
          </ul>
        </section>
      )}
      {curves.slice(0, shownExecutors).map((curve) => (
        <MetricGraph key={curve.name} curve={curve} axis={axis} breaks={breaks} height={graphHeight} />
      ))}
      {curves.length > shownExecutors && (
        <p class="quiet note">
          {plural(curves.length - shownExecutors, 'more executor')} with less memory: filter by executor above to see one.
        </p>
      )}
      {spill && <MetricGraph curve={spill} axis={axis} breaks={breaks} height={graphHeight} />}
      {curves.length === 0 && (
        <p class="quiet note">No memory over time in this recording. Profile the job to record it: sparkprof run -- spark-submit …</p>
      )}
      {hasPeaks(model) && <Peaks mask={mask} />}
    </div>
  );
}

const hasPeaks = (model: Model) =>
  peakNames(model).length > 0 ||
  model.report.executors.some(({ maxMemory, totals }) => maxMemory > 0 || (totals?.diskSpilledBytes ?? 0) > 0);

/** "JVMHeapMemory" -> "JVM heap" */
const inWords = (name: string) =>
  name
    .replace(/Memory$/, '')
    .replace(/([a-z])([A-Z])/g, '$1 $2')
    .replace(/([A-Z])([A-Z][a-z])/g, '$1 $2');

function Peaks({ mask }: { mask: Uint8Array | null }) {
  const store = useStore();
  const { executors } = store.model.report;
  const names = useMemo(() => peakNames(store.model), [store.model]);
  const rows = useMemo(() => executors.flatMap((_, row) => (!mask || mask[row] ? [row] : [])), [executors, mask]);
  const columns = useMemo<Column[]>(() => {
    const bytes = (id: string, label: string, value: (row: number) => number | undefined) =>
      amountColumn(id, label, 'bytes', value, '130px');
    return [
      { id: 'executor', label: 'Executor', width: '110px', text: true, value: (row) => executors[row]!.id },
      bytes('limit', 'Limit of storage + execution', (row) => executors[row]!.maxMemory),
      bytes('spill', 'Spilled to disk', (row) => executors[row]!.totals?.diskSpilledBytes),
      ...names.map((name) => bytes(name, inWords(name), (row) => executors[row]!.peakMemoryMetrics?.[name])),
    ];
  }, [executors, names]);
  return (
    <section aria-label="Peaks">
      <h2 class="section-title">
        Peaks{' '}
        <span class="quiet">
          {names.length > 0 ? 'measured by Spark, the heap also by the JVM' : 'Spark’s executor metrics are not in this recording'}
        </span>
      </h2>
      <DataTable
        label="Memory of executors"
        columns={columns}
        rows={rows}
        sort="executor"
        ascending
        maxHeight={320}
        isSelected={(row) => executors[row]!.id === store.selection.value.executor}
        href={(row) => store.hrefWith({ executor: executors[row]!.id })}
        pick={(row) => store.select({ executor: executors[row]!.id })}
      />
    </section>
  );
}
