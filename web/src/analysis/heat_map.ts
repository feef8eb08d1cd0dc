// SPDX-License-Identifier: Apache-2.0
// Samples as a heat map: where the recording is finer than a second, seconds by their parts; else time by executor, or
// by thread where there is one executor.
import type { Model } from '../data/model.ts';
import { forEachSample, type SampleFilter } from './selection.ts';

export interface HeatMap {
  columns: number;
  columnMs: number;
  /** what the rows are, from top to bottom */
  rows: string[];
  /** the rows are parts of a second, so that a range of time goes down one column and on in the next */
  byPart: boolean;
  /** column * rows + row */
  weight: Float64Array;
  /** the weight of the darkest color; a few cells may have more */
  most: number;
}

const mostColumns = 1000;
const mostRows = 24;
const second = 1000;

export function heatMapOf(model: Model, filter: SampleFilter): HeatMap {
  const { samples, bucketMs } = model.report;
  const byPart = bucketMs < second && second % bucketMs === 0;
  const stepMs = byPart ? second : bucketMs;
  const steps = Math.max(1, Math.ceil(model.duration / stepMs));
  const each = Math.ceil(steps / mostColumns);
  const columns = Math.ceil(steps / each);
  const columnMs = each * stepMs;
  const { rows, rowOf } = byPart ? partsOfSecond(bucketMs) : lanesOf(model, filter);
  const weight = new Float64Array(columns * rows.length);
  forEachSample(model, { ...filter, fromBucket: 0, toBucket: Infinity }, (sample) => {
    const ms = samples.bucket[sample]! * bucketMs;
    const row = byPart ? Math.floor((ms % second) / bucketMs) : rowOf(sample);
    const column = Math.min(columns - 1, Math.floor(ms / columnMs));
    weight[column * rows.length + row]! += samples.weight[sample]!;
  });
  return { columns, columnMs, rows, byPart, weight, most: mostOf(weight) };
}

const ordinaryShare = 0.99;
/** Rarer and heavier than that, such as records without times that all stand at the start, would leave the others pale. */
const extreme = 4;

function mostOf(weight: Float64Array): number {
  const sorted = weight.filter((value) => value > 0).sort();
  const most = sorted.at(-1) ?? 0;
  const ordinary = sorted[Math.floor(ordinaryShare * (sorted.length - 1))] ?? 0;
  return most > extreme * ordinary ? ordinary : most;
}

interface Lanes {
  rows: string[];
  rowOf(sample: number): number;
}

function partsOfSecond(bucketMs: number): Lanes {
  return { rows: Array.from({ length: second / bucketMs }, (_, part) => `${part * bucketMs} ms`), rowOf: () => 0 };
}

/** Executors or threads by weight; the lightest share the last row where they are many. */
function lanesOf(model: Model, filter: SampleFilter): Lanes {
  const { samples, threads } = model.report;
  const sums = (keys: ArrayLike<number>) => {
    const weights = new Map<number, number>();
    forEachSample(model, { ...filter, fromBucket: 0, toBucket: Infinity }, (row) => {
      weights.set(keys[row]!, (weights.get(keys[row]!) ?? 0) + samples.weight[row]!);
    });
    return weights;
  };
  const executors = sums(samples.executor);
  const byThread = executors.size <= 1;
  const keys = byThread ? samples.thread : samples.executor;
  const weights = byThread ? sums(keys) : executors;
  const name = (key: number) =>
    byThread ? threads[key]?.name || (threads[key] ? `thread ${threads[key].tid}` : 'unknown thread') : model.executorName(key);
  const order = [...weights].sort((a, b) => b[1] - a[1]).map(([key]) => key);
  const shown = order.length > mostRows ? order.slice(0, mostRows - 1) : order;
  const rows = shown.map(name);
  if (shown.length < order.length) rows.push(`${order.length - shown.length} others`);
  const places = new Map(shown.map((key, row) => [key, row]));
  return { rows: rows.length > 0 ? rows : ['no samples'], rowOf: (sample) => places.get(keys[sample]!) ?? rows.length - 1 };
}

/** Times of a cell, ms since the application's start. */
export function cellTimes(map: HeatMap, column: number, row: number): { from: number; to: number } {
  const begin = column * map.columnMs;
  if (!map.byPart || map.columnMs > second) return { from: begin, to: begin + map.columnMs };
  const part = second / map.rows.length;
  return { from: begin + row * part, to: begin + (row + 1) * part };
}

/** The rows of a column that a range of time covers, the end excluded; null: none. */
export function rowsIn(map: HeatMap, column: number, range: { from: number; to: number }): { first: number; end: number } | null {
  let first = -1;
  let end = -1;
  for (let row = 0; row < map.rows.length; row++) {
    const { from, to } = cellTimes(map, column, row);
    if (to <= range.from || from >= range.to) continue;
    if (first < 0) first = row;
    end = row + 1;
  }
  return first < 0 ? null : { first, end };
}
