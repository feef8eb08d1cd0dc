// SPDX-License-Identifier: Apache-2.0
import { describe, expect, it } from 'vitest';
import type { Heap } from '../data/contract.ts';
import { Model } from '../data/model.ts';
import { demoReport } from '../../tests/make_data.ts';
import { changeOf, grownClasses, heapCurve, onTopOfEachOther, summariesIn, timeChoices, timesOf } from './heap.ts';

const report = demoReport();
const start = report.application.startTime;

/** Summaries of [seconds, executor, bytes of each class]; each has 5 bytes of other classes. */
function heapOf(...summaries: [number, number, Record<string, number>][]): Heap {
  const classes = [...new Set(summaries.flatMap(([, , of]) => Object.keys(of)))];
  const rows = summaries.flatMap(([, , of], row) =>
    Object.entries(of).map(([name, bytes]) => [row, classes.indexOf(name), bytes / 10, bytes]),
  );
  return {
    classes,
    summaries: summaries.map(([second, executor, of]) => {
      const bytes = Object.values(of).reduce((sum, value) => sum + value, 5);
      return { time: start + second * 1000, executor, pauseMs: 1, instances: bytes / 10, bytes };
    }),
    rows: {
      summary: Uint32Array.from(rows, (row) => row[0]!),
      class: Uint32Array.from(rows, (row) => row[1]!),
      instances: Float64Array.from(rows, (row) => row[2]!),
      bytes: Float64Array.from(rows, (row) => row[3]!),
    },
  };
}

const heap = heapOf([10, 1, { 'byte[]': 100, Row: 50 }], [20, 1, { 'byte[]': 20, Node: 70 }], [12, 2, { 'byte[]': 10 }]);
const model = new Model(report);
const all = summariesIn(model, heap, null);

describe('heap summaries', () => {
  it('compare the first one of each JVM with its last one', () => {
    const { rows, total } = changeOf(heap, all);
    expect(rows.map(({ name, bytesBefore, bytes }) => [name, bytesBefore, bytes])).toEqual([
      ['byte[]', 110, 30],
      ['Row', 50, 0],
      ['Node', 0, 70],
    ]);
    expect(total).toMatchObject({ bytesBefore: 170, bytes: 110, instancesBefore: 17, instances: 11 });
  });

  it('are selected by executor and time, ends included', () => {
    expect(summariesIn(model, heap, Uint8Array.from([0, 0, 1]))).toEqual([2]);
    expect(summariesIn(model, heap, null, 12_000, 20_000)).toEqual([1, 2]);
    expect(timesOf(model, heap, all)).toEqual([10_000, 12_000, 20_000]);
  });

  it('of several JVMs at about the same time are one choice', () => {
    expect(timeChoices(model, [10_000, 10_003, 10_004, 20_000])).toEqual([
      { first: 10_000, last: 10_004 },
      { first: 20_000, last: 20_000 },
    ]);
  });

  it('add up over JVMs, the largest class at the bottom, and lose nothing', () => {
    const curve = heapCurve(model, heap, all)!;
    expect(curve.lines.map(({ label, value }) => [label, value])).toEqual([
      ['other classes', [5, 10, 10]],
      ['Row', [50, 50, 0]],
      ['Node', [0, 0, 70]],
      ['byte[]', [100, 110, 30]],
    ]);
    const [time, top] = onTopOfEachOther(curve);
    expect(time).toEqual([10_000, 12_000, 20_000]);
    expect(top).toEqual([155, 170, 110]);
  });

  it('of a removed executor end with it', () => {
    const executors = report.executors.map((executor, row) => (row === 2 ? { ...executor, removeTime: start + 15_000 } : executor));
    const curve = heapCurve(new Model({ ...report, executors }), heap, all)!;
    expect(onTopOfEachOther(curve)[1]).toEqual([155, 170, 95]);
    expect(heapCurve(model, heap, [])).toBeNull();
  });
});

it('names the classes that grew most', () => {
  const grown = heapOf([10, 1, { 'byte[]': 100, Row: 50, Node: 9 }], [20, 1, { 'byte[]': 20, Row: 70, Node: 90 }]);
  expect(grownClasses(changeOf(grown, [0, 1]), 3)).toEqual([
    { name: 'Node', bytes: 81 },
    { name: 'Row', bytes: 20 },
  ]);
  expect(grownClasses(changeOf(grown, [1]), 3)).toEqual([]);
});
