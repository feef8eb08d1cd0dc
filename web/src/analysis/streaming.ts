// SPDX-License-Identifier: Apache-2.0
// Batches of a streaming query as curves over time.
import type { Streaming, StreamingBatches, Unit } from '../data/contract.ts';
import { align, type CurveData, type Line } from './curves.ts';

/** Spark's name for the whole batch; the other phases are parts of it. */
const wholeBatch = 'triggerExecution';

type BatchColumn = Exclude<keyof StreamingBatches, 'query' | 'id' | 'time'>;

/** Rows of the batches of a query in a range of time, ms since the application's start, in order of time. */
export function batchesOf({ batches }: Streaming, query: number, from = -Infinity, to = Infinity): number[] {
  return Array.from(batches.query, (_, row) => row)
    .filter((row) => batches.query[row] === query && batches.time[row]! < to && batches.time[row]! + batches.durationNs[row]! / 1e6 >= from)
    .sort((a, b) => batches.time[a]! - batches.time[b]!);
}

/** Curves of a query: those in which something happens. */
export function streamingCurves(streaming: Streaming, rows: number[]): CurveData[] {
  const { batches, phases } = streaming;
  // batches of one moment are one point
  const own = rows.filter((row, i) => batches.time[row] !== batches.time[rows[i + 1]!]);
  const time = own.map((row) => batches.time[row]!);
  const line = (label: string, column: ArrayLike<number>, more: Partial<Line> = {}): Line => ({
    label,
    executor: -1,
    python: false,
    time,
    value: own.map((row) => column[row]!),
    ...more,
  });
  const some = (column: ArrayLike<number>) => own.some((row) => column[row]! > 0);
  const curve = (name: string, label: string, unit: Unit, lines: Line[], stacked = false): CurveData => ({
    name: `streaming.${name}`,
    label,
    unit,
    lines,
    aligned: align(lines),
    stacked,
  });
  const plain = (name: BatchColumn, label: string, unit: Unit) =>
    some(batches[name]) ? [curve(name, label, unit, [line(label, batches[name])])] : [];
  const parts = phases.filter(({ name, durationNs }) => name !== wholeBatch && some(durationNs));
  const duration =
    parts.length > 0
      ? curve(
          'phases',
          'Batch duration',
          'ns',
          [line('whole batch', batches.durationNs, { apart: true }), ...parts.map(({ name, durationNs }) => line(name, durationNs))],
          true,
        )
      : curve('durationNs', 'Batch duration', 'ns', [line('whole batch', batches.durationNs)]);
  const rates = [line('processed', batches.processedRowsPerSecond), line('arriving', batches.inputRowsPerSecond)];
  return [
    ...plain('inputRows', 'Input rows', 'count'),
    ...(some(batches.processedRowsPerSecond) || some(batches.inputRowsPerSecond)
      ? [curve('rates', 'Rows per second', 'count', rates)]
      : []),
    ...(some(batches.durationNs) ? [duration] : []),
    ...plain('stateRows', 'State rows', 'count'),
    ...plain('stateBytes', 'State memory', 'bytes'),
    ...plain('offsetsBehind', 'Offsets behind the latest', 'count'),
    ...plain('watermarkDelayNs', 'Watermark delay', 'ns'),
  ];
}
