// SPDX-License-Identifier: Apache-2.0
import type { Transform } from './transforms.ts';
import { describe, expect, it } from 'vitest';
import { asText, smallModel } from '../../../tests/small_report.ts';
import { labelsNamed } from '../../state/flame.ts';
import { compileSelection, weigh } from '../selection.ts';
import { applyTransforms, reverse, sandwich, treeByThread } from './transforms.ts';

const model = smallModel([
  { stack: 'main;f;f;g', weight: 1 },
  { stack: 'main;f;g', weight: 2, thread: 1 },
  { stack: 'main;g', weight: 4 },
  { stack: 'main;f', weight: 8 },
]);
const name = (label: number) => model.functions.name[label] ?? model.report.threads[label - model.functions.count]!.name;
const base = { tree: model.tree, sides: [weigh(model, compileSelection(model, {}, true)).self] };
const after = (...transforms: Transform[]) => {
  const { tree, sides } = applyTransforms(base, transforms, (text) => labelsNamed(model, text));
  return asText(tree, sides[0]!, name);
};

describe('transforms', () => {
  it('hide takes the frame out and leaves the weight', () => {
    expect(after({ kind: 'hide', name: 'f' })).toEqual({ 'main;g': 7, main: 8 });
  });
  it('focus keeps stacks with the frame, whole', () => {
    expect(after({ kind: 'focus', name: 'g' })).toEqual({ 'main;f;f;g': 1, 'main;f;g': 2, 'main;g': 4 });
  });
  it('collapse folds direct recursion', () => {
    expect(after({ kind: 'collapse', name: 'f' })).toEqual({ 'main;f;g': 3, 'main;g': 4, 'main;f': 8 });
  });
  it('follow each other', () => {
    expect(after({ kind: 'focus', name: 'f' }, { kind: 'hide', name: 'main' }, { kind: 'collapse', name: 'f' })).toEqual({
      'f;g': 3,
      f: 8,
    });
  });
  it('of an unknown name change nothing but focus, which leaves nothing', () => {
    expect(after({ kind: 'hide', name: 'nothing' })).toEqual(asText(base.tree, base.sides[0]!, name));
    expect(after({ kind: 'focus', name: 'nothing' })).toEqual({});
  });
});

describe('other ways to look', () => {
  it('reversed trees begin with what ran', () => {
    const { tree, sides } = reverse(base);
    expect(asText(tree, sides[0]!, name)).toEqual({ 'g;f;f;main': 1, 'g;f;main': 2, 'g;main': 4, 'f;main': 8 });
  });
  it('reversed trees of very many steps follow only callers that can be seen, and lose no weight', () => {
    const { tree, sides, cut } = reverse({ tree: model.tree, sides: [base.sides[0]!.map((weight) => (weight === 1 ? 1e-9 : weight))] }, 5);
    expect(cut).toBe(true);
    expect(asText(tree, sides[0]!, name)).toEqual({ 'g;f;f': 1e-9, 'g;f;main': 2, 'g;main': 4, 'f;main': 8 });
  });
  it('the sandwich counts recursive calls once', () => {
    const { callers, callees } = sandwich(base, labelsNamed(model, 'f'));
    expect(asText(callers.tree, callers.sides[0]!, name)).toEqual({ main: 11 });
    expect(asText(callees.tree, callees.sides[0]!, name)).toEqual({ 'f;g': 1, g: 2, '': 8 });
  });
  it('by thread puts the thread first', () => {
    const { tree, sides } = treeByThread(model, [compileSelection(model, {}, true)]);
    expect(asText(tree, sides[0]!, name)).toEqual({
      'worker-0;main;f;f;g': 1,
      'worker-1;main;f;g': 2,
      'worker-0;main;g': 4,
      'worker-0;main;f': 8,
    });
  });
});
