// SPDX-License-Identifier: Apache-2.0
// Structured Streaming: the batches of a query over time and as a table.
import { useMemo } from 'preact/hooks';
import { batchesOf, slowestBatch, streamingPicture } from '../analysis/streaming.ts';
import type { StreamingBatches } from '../data/contract.ts';
import { amount, clock, count } from '../state/format.ts';
import { usePart, useStore } from '../state/store.ts';
import { clockColumn, plainColumn } from './columns.tsx';
import { DataTable, type Column } from './data_table.tsx';
import { FilteredRows } from './filter_notes.tsx';
import { MetricGraph } from './metric_graph.tsx';

const graphHeight = 120;

export function StreamingTab() {
  const store = useStore();
  const { model } = store;
  const streaming = model.report.streaming!;
  const { queries } = streaming;
  const [part, setPart] = usePart('query');
  const query = Math.min(queries.length - 1, Number(part) || 0);
  const { from, to } = store.selection.value;
  const { window } = store.view.value;
  const all = useMemo(() => batchesOf(streaming, query), [streaming, query]);
  const rows = useMemo(() => batchesOf(streaming, query, from, to), [streaming, query, from, to]);
  const { curves, same } = useMemo(() => streamingPicture(streaming, all), [streaming, all]);
  const outlined = useMemo(() => {
    const slowest = slowestBatch(streaming, all);
    return slowest ? [slowest] : [];
  }, [streaming, all]);
  const { name, startTime, endTime, failure } = queries[query]!;
  return (
    <div class="streaming">
      <div class="toolbar">
        {queries.length > 1 && (
          <label>
            Query{' '}
            <select value={query} onChange={(event) => setPart(event.currentTarget.value === '0' ? '' : event.currentTarget.value)}>
              {queries.map((one, row) => (
                <option key={one.runId} value={row}>
                  {one.name || one.id || one.runId}
                </option>
              ))}
            </select>
          </label>
        )}
        <span class="quiet">
          {queries.length === 1 && name && <b>{name} </b>}
          {all.length === 1 ? '1 batch' : `${count(all.length)} batches`}
          {startTime > 0 && <>, started at {clock(Math.max(0, model.relative(startTime)))}</>}
          {endTime > 0 ? <>, ended at {clock(Math.max(0, model.relative(endTime)))}</> : ', has not ended'}
        </span>
      </div>
      {failure && <p class="note bad">{failure}</p>}
      {streaming.dropped && <p class="quiet note">{streaming.dropped}</p>}
      {curves.map((curve) => (
        <MetricGraph
          key={curve.name}
          curve={curve}
          axis={window ?? { from: 0, to: model.duration }}
          outlined={outlined}
          height={graphHeight}
        />
      ))}
      {(same.length > 0 || outlined.length > 0) && (
        <p class="note quiet">
          {outlined.length > 0 && 'The outline marks the slowest batch. '}
          {same.length > 0 && 'The same in all batches: '}
          {same.map(({ label, unit, value }, i) => (
            <span key={label}>
              {i > 0 && ' · '}
              {label} <b>{amount(value, unit)}</b>
            </span>
          ))}
        </p>
      )}
      {all.length === 0 && <p class="quiet note">This query reported no batch.</p>}
      <FilteredRows shown={rows.length} total={all.length} what="batches" filters={['time']} />
      {all.length > 0 && <Batches rows={rows} />}
    </div>
  );
}

function Batches({ rows }: { rows: number[] }) {
  const store = useStore();
  const { batches, phases } = store.model.report.streaming!;
  const columns = useMemo<Column[]>(() => {
    const number = (id: keyof StreamingBatches, label: string, unit: string, hint?: string) =>
      plainColumn(id, label, unit, (row) => (batches[id][row]! < 0 ? null : batches[id][row]), '112px', hint);
    const has = (column: ArrayLike<number>) => Array.prototype.some.call(column, (value: number) => value > 0);
    const optional = (id: keyof StreamingBatches, label: string, unit: string, hint?: string) =>
      has(batches[id]) ? [number(id, label, unit, hint)] : [];
    return [
      { id: 'id', label: 'Batch', width: '76px', value: (row) => batches.id[row]!, show: (row) => count(batches.id[row]!) },
      clockColumn(
        'time',
        'Begin',
        (row) => batches.time[row],
        (ms) => store.dateAt(ms),
      ),
      number('durationNs', 'Duration', 'ns'),
      number('inputRows', 'Input rows', 'count'),
      number('inputRowsPerSecond', 'Arriving', 'count', 'Rows per second since the batch before'),
      number('processedRowsPerSecond', 'Processed', 'count', 'Rows per second in this batch'),
      ...optional('stateRows', 'State rows', 'count'),
      ...optional('stateBytes', 'State memory', 'bytes'),
      ...optional('offsetsBehind', 'Behind', 'count', 'Offsets behind the latest one of the source'),
      ...optional('watermarkDelayNs', 'Watermark', 'ns', 'Watermark before the begin of the batch'),
      ...phases.map(({ name, durationNs }) => plainColumn(`phase.${name}`, name, 'ns', (row) => durationNs[row], '124px')),
    ];
  }, [batches, phases, store]);
  const timeOf = (row: number) => ({ from: batches.time[row]!, to: batches.time[row]! + batches.durationNs[row]! / 1e6 });
  return (
    <DataTable
      label="Batches"
      columns={columns}
      rows={rows}
      sort="time"
      maxHeight={480}
      href={(row) => store.hrefWith(timeOf(row))}
      pick={(row) => store.select(timeOf(row))}
    />
  );
}
