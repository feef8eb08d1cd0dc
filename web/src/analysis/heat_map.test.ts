// SPDX-License-Identifier: Apache-2.0
import { describe, expect, it } from 'vitest';
import { smallModel } from '../../tests/small_report.ts';
import { cellTimes, heatMapOf, rowsIn } from './heat_map.ts';
import { compileSelection } from './selection.ts';

const samples = [
  { stack: 'a', weight: 5, bucket: 0, executor: 0 },
  { stack: 'a', weight: 7, bucket: 0, executor: 1, thread: 1 },
  { stack: 'b', weight: 9, bucket: 3, executor: 1, thread: 1 },
];
const mapOf = (selection = {}, bucketMs = 1000) => {
  const model = smallModel(samples);
  model.report.bucketMs = bucketMs;
  return heatMapOf(model, compileSelection(model, selection, true));
};

describe('a heat map', () => {
  it('has executors as rows, the heaviest first, and a column for each step', () => {
    const map = mapOf();
    expect(map.rows).toEqual(['executor 2', 'executor 1']);
    expect([map.columns, map.columnMs, map.most]).toEqual([8, 1000, 9]);
    expect([...map.weight.subarray(0, 2)]).toEqual([7, 5]);
    expect(map.weight[3 * 2]).toBe(9);
  });
  it('keeps a cell that outweighs all others from leaving them pale', () => {
    const model = smallModel([
      ...samples,
      ...Array.from({ length: 8 }, (_, bucket) => ({ stack: 'a', weight: 10, bucket })),
      { stack: 'a', weight: 9000, bucket: 7 },
    ]);
    expect(heatMapOf(model, compileSelection(model, {}, true)).most).toBeLessThan(30);
  });
  it('has threads as rows where there is one executor', () => expect(mapOf({ executor: '2' }).rows).toEqual(['worker-1']));
  it('shows all of the time, whatever range is selected', () =>
    expect(mapOf({ from: 3000, to: 4000 }).weight.reduce((a, b) => a + b)).toBe(21));
  it('has parts of a second as rows where the recording is finer', () => {
    const map = mapOf({}, 250);
    expect(map.rows).toEqual(['0 ms', '250 ms', '500 ms', '750 ms']);
    expect([...map.weight.subarray(0, 4)]).toEqual([12, 0, 0, 9]);
    expect(cellTimes(map, 1, 2)).toEqual({ from: 1500, to: 1750 });
    expect(rowsIn(map, 0, { from: 500, to: 1250 })).toEqual({ first: 2, end: 4 });
    expect(rowsIn(map, 1, { from: 500, to: 1250 })).toEqual({ first: 0, end: 1 });
    expect(rowsIn(map, 2, { from: 500, to: 1250 })).toBeNull();
  });
});
