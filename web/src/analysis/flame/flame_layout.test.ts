// SPDX-License-Identifier: Apache-2.0
import { describe, expect, it } from 'vitest';
import { smallModel, type SmallSample } from '../../../tests/small_report.ts';
import { toCollapsed } from './collapsed.ts';
import { layoutTree, matchedWeight, pathTo, stemOf } from './flame_layout.ts';
import { sumByLabel } from './function_table.ts';
import { splitByLine } from './lines.ts';
import { searchNames } from '../search.ts';
import { compileSelection, weigh } from '../selection.ts';
import { totalsOf } from '../../data/call_tree.ts';

function laidOut(samples: SmallSample[]) {
  const model = smallModel(samples);
  const { self, total } = weigh(model, compileSelection(model, {}, true));
  const layout = layoutTree(model.tree, self);
  const name = (label: number) => model.functions.name[label]!;
  return {
    model,
    self,
    total,
    layout,
    name,
    search: (text: string) => matchedWeight(layout, searchNames(model.functions.name, text).matches!),
  };
}

describe('the layout', () => {
  const { layout, total, name, model } = laidOut([
    { stack: 'main;work@3;sort', weight: 5 },
    { stack: 'main;work@9', weight: 2 },
    { stack: 'main;read', weight: 10 },
    { stack: 'gc', weight: 1 },
  ]);
  it('adds up: the root holds everything', () => expect([layout.total[0], total]).toEqual([18, 18]));
  it('merges lines of one function', () => expect(layout.count).toBe(6));
  it('puts children by falling weight, in preorder', () => {
    expect([...layout.label].slice(1).map(name)).toEqual(['main', 'read', 'work', 'sort', 'gc']);
  });
  it('says where subtrees end and frames begin', () => {
    expect([...layout.next]).toEqual([6, 5, 3, 5, 5, 6]);
    expect([...layout.start]).toEqual([0, 0, 0, 10, 10, 17]);
    expect([...layout.self]).toEqual([0, 0, 10, 2, 5, 1]);
  });
  it('finds the way to a row', () => expect(pathTo(layout, 4)).toEqual([0, 1, 3, 4]));
  it('leaves out what the selection does not have', () => {
    const none = layoutTree(model.tree, new Float64Array(model.tree.count));
    expect(none.count).toBe(1);
  });
  it('splits a function by line', () => {
    const work = model.functions.name.indexOf('work');
    expect(splitByLine(model, compileSelection(model, {}, true), work).map(({ line, weight }) => [line, weight])).toEqual([
      [3, 5],
      [9, 2],
    ]);
  });
  it('writes collapsed stacks whose weights add up', () => {
    expect(toCollapsed(layout, 1, name)).toBe('main;read 10\nmain;work 2\nmain;work;sort 5');
    expect(toCollapsed(layout, 4, name)).toBe('main;work;sort 5');
  });
});

describe('the stem', () => {
  const stem = (...stacks: string[]) => stemOf(laidOut(stacks.map((stack) => ({ stack, weight: 1 }))).layout);
  it('ends above the frame where stacks part', () => expect(stem('run;work;call;task;a', 'run;work;call;task;b')).toBe(3));
  it('is what most stacks share', () => expect(stem(...new Array<string>(4).fill('run;work;call;task;a'), 'gc')).toBe(4));
  it('is no reason to scroll below three frames', () => expect(stem('run;work;task;a', 'run;work;task;b')).toBe(0));
  it('is none with two roots', () => expect(stem('run;work;call;task;a', 'gc;work;call;task;a')).toBe(0));
});

describe('search', () => {
  const { search, total } = laidOut([
    { stack: 'sortAll;sortPart;swap', weight: 4 },
    { stack: 'sortAll;read', weight: 2 },
    { stack: 'read', weight: 3 },
    { stack: 'other', weight: 1 },
  ]);
  it('counts a stack once, however often it matches', () => expect(search('sort')).toBe(6));
  it('joins alternatives without counting twice', () => expect(search('sortPart|read|sortAll')).toBe(9));
  it('finds everything with a dot', () => expect(search('.')).toBe(total));
  it('ignores case unless the pattern has capitals', () => expect([search('sortpart'), search('SortPart')]).toEqual([4, 0]));
  it('understands the flag of RE2', () => expect(search('(?i)SORTPART')).toBe(4));
  it('says what is wrong with a broken pattern', () => expect(searchNames(['a'], '(').error).toMatch(/invalid regular expression/));
  it('is off for an empty text', () => expect(searchNames(['a'], '').matches).toBeNull());
});

describe('the function table', () => {
  it('counts recursion once in total and always in self', () => {
    const { model, layout, self } = laidOut([
      { stack: 'f;g;f', weight: 3 },
      { stack: 'f', weight: 1 },
      { stack: 'g;f', weight: 5 },
    ]);
    const sums = sumByLabel(layout, model.functions.count, self, totalsOf(model.tree, self));
    const at = (column: Float64Array) => Object.fromEntries(model.functions.name.map((name, label) => [name, column[label]]));
    expect(at(sums.total)).toEqual({ f: 9, g: 8 });
    expect(at(sums.self)).toEqual({ f: 9, g: 0 });
  });
});
