// SPDX-License-Identifier: Apache-2.0
// Batches of a streaming query as bars over time.
import type { Streaming, StreamingBatches, Unit } from '../data/contract.ts';
import { align, type CurveData, type Line } from './time/curves.ts';

/** Spark's name for the whole batch; the other phases are parts of it. */
const wholeBatch = 'triggerExecution';

type BatchColumn = Exclude<keyof StreamingBatches, 'query' | 'id' | 'time'>;

/** Rows of the batches of a query in a range of time, ms since the application's start, in order of time. */
export function batchesOf({ batches }: Streaming, query: number, from = -Infinity, to = Infinity): number[] {
  return Array.from(batches.query, (_, row) => row)
    .filter((row) => batches.query[row] === query && batches.time[row]! < to && batches.time[row]! + batches.durationNs[row]! / 1e6 >= from)
    .sort((a, b) => batches.time[a]! - batches.time[b]!);
}

/** Values that are the same in all batches of a query have no curve. */
export interface SameInAll {
  label: string;
  unit: Unit;
  value: number;
}

export interface StreamingPicture {
  curves: CurveData[];
  same: SameInAll[];
}

/**
 * The course of a query's batches: a bar from the begin of each batch to its end. The state, offsets and the watermark stay as the
 * last batch left them.
 */
export function streamingPicture(streaming: Streaming, rows: number[]): StreamingPicture {
  const { batches, phases } = streaming;
  // batches of one moment are one point
  const own = rows.filter((row, i) => batches.time[row] !== batches.time[rows[i + 1]!]);
  const line = (label: string, column: ArrayLike<number>, stays: boolean, more: Partial<Line> = {}): Line => ({
    label,
    executor: -1,
    python: false,
    steps: true,
    ...points(batches, own, column, stays),
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
  const same: SameInAll[] = [];
  const plain = (name: BatchColumn, label: string, unit: Unit, stays: boolean) => {
    const column = batches[name];
    if (!some(column)) return [];
    const value = column[own[0]!]!;
    if (own.length > 1 && own.every((row) => column[row] === value)) {
      same.push({ label, unit, value });
      return [];
    }
    return [curve(name, label, unit, [line(label, column, stays)], true)];
  };
  const parts = phases.filter(({ name, durationNs }) => name !== wholeBatch && some(durationNs));
  const duration =
    parts.length > 0
      ? curve(
          'phases',
          'Batch duration',
          'ns',
          [
            line('whole batch', batches.durationNs, false, { apart: true }),
            ...parts.map(({ name, durationNs }) => line(name, durationNs, false)),
          ],
          true,
        )
      : curve('durationNs', 'Batch duration', 'ns', [line('whole batch', batches.durationNs, false)], true);
  const rates = [line('processed', batches.processedRowsPerSecond, false), line('arriving', batches.inputRowsPerSecond, false)];
  const curves = [
    ...(some(batches.durationNs) ? [duration] : []),
    ...plain('inputRows', 'Input rows', 'count', false),
    ...(some(batches.processedRowsPerSecond) || some(batches.inputRowsPerSecond)
      ? [curve('rates', 'Rows per second', 'count', rates)]
      : []),
    ...plain('stateRows', 'State rows', 'count', true),
    ...plain('stateBytes', 'State memory', 'bytes', true),
    ...plain('offsetsBehind', 'Offsets behind the latest', 'count', true),
    ...plain('watermarkDelayNs', 'Watermark delay', 'ns', true),
  ];
  return { curves, same };
}

/** Values of batches in order of time, without those that are unknown (-1). */
function points(batches: StreamingBatches, own: number[], column: ArrayLike<number>, stays: boolean): Pick<Line, 'time' | 'value'> {
  const time: number[] = [];
  const value: number[] = [];
  own.forEach((row, i) => {
    if (column[row]! < 0) return;
    time.push(batches.time[row]!);
    value.push(column[row]!);
    const end = endOf(batches, row);
    const next = own[i + 1];
    if (next !== undefined && end >= batches.time[next]!) return;
    if (stays && next !== undefined) return;
    time.push(end);
    value.push(stays ? column[row]! : 0);
  });
  return { time, value };
}

const endOf = ({ time, durationNs }: StreamingBatches, row: number) => time[row]! + durationNs[row]! / 1e6;

/** medians; a batch that takes so long stands out */
const slow = 1.5;

/** The longest batch of a query as a span of time, ms, where it takes much longer than the others. */
export function slowestBatch({ batches }: Streaming, rows: number[]): { from: number; to: number } | null {
  const sorted = [...rows].sort((a, b) => batches.durationNs[a]! - batches.durationNs[b]!);
  const [median, longest] = [sorted[(sorted.length - 1) >> 1], sorted.at(-1)];
  if (median === undefined || longest === undefined || batches.durationNs[longest]! < slow * batches.durationNs[median]!) return null;
  return { from: batches.time[longest]!, to: endOf(batches, longest) };
}
