// SPDX-License-Identifier: Apache-2.0
import { describe, expect, it } from 'vitest';
import { smallModel } from '../../tests/small_report.ts';
import { compileSelection, weigh } from '../analysis/selection.ts';
import { buildFlame, changeOf, functionSums, isNoise } from './flame.ts';

const model = smallModel([
  { stack: 'a;x', weight: 30, executor: 0 },
  { stack: 'a;y', weight: 10, executor: 0 },
  { stack: 'a;x', weight: 50, executor: 1 },
  { stack: 'a;z', weight: 150, executor: 1 },
]);
const filters = [{ executor: '1' }, { executor: '2' }].map((selection) => compileSelection(model, selection, true));
const weights = filters.map((filter) => weigh(model, filter));
const options = {
  reversed: false,
  byThread: false,
  timeOrder: false,
  sandwich: '',
  transforms: [],
  absolute: false,
  pyspark: false,
  plumbing: true,
};

describe('two sides', () => {
  const flame = buildFlame(model, filters, weights, options);
  const { layout, total } = flame.main;
  const row = (name: string) => [...layout.label].findIndex((label, i) => i > 0 && model.functions.name[label] === name);
  const change = (name: string, absolute = false) => {
    const node = layout.node[row(name)]!;
    return changeOf(total[0]![node]!, total[1]![node]!, flame, absolute);
  };
  it('keep what only one side has', () => expect(layout.count).toBe(5));
  it('have widths that are the mean of the shares', () => {
    expect(layout.total[0]).toBeCloseTo(1);
    expect(layout.total[row('x')]).toBeCloseTo((0.75 + 0.25) / 2);
    expect(layout.total[row('z')]).toBeCloseTo(0.375);
  });
  it('are compared by their shares', () => {
    expect(change('a')).toBe(0);
    expect(change('x')).toBeCloseTo(0.5);
    expect(change('y')).toBe(1);
    expect(change('z')).toBe(-1);
  });
  it('are compared by weight when asked', () => expect(change('x', true)).toBeCloseTo(-0.25));
  it('differ by chance, or by more than that, by their number of samples', () => {
    const of = (samples: number) => ({ sums: [samples * 10, samples * 10], counts: [samples, samples] });
    // 30% and 40%
    expect(isNoise(30, 40, { sums: [100, 100], counts: [10, 10] }, false)).toBe(true);
    expect(isNoise(3000, 4000, of(1000), false)).toBe(false);
    expect(isNoise(3000, 4000, of(1000), true)).toBe(false);
    expect(isNoise(3000, 3100, of(1000), true)).toBe(true);
    // one sample more than none says nothing
    expect(isNoise(10, 0, of(1000), false)).toBe(true);
  });
  it('have a table with both', () => {
    const [a, b] = functionSums(model, flame);
    const label = model.functions.name.indexOf('x');
    expect([a!.total[label], b!.total[label], a!.self[label]]).toEqual([30, 50, 30]);
  });
  it('have the same table when the picture is reversed', () => {
    const turned = buildFlame(model, filters, weights, { ...options, reversed: true });
    const label = model.functions.name.indexOf('a');
    expect(functionSums(model, turned).map((side) => side.total[label])).toEqual([40, 200]);
  });
});
