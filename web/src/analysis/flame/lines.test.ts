// SPDX-License-Identifier: Apache-2.0
import { describe, expect, it } from 'vitest';
import { smallModel } from '../../../tests/small_report.ts';
import { sourceOf, weightOfLines } from './lines.ts';
import { compileSelection } from '../selection.ts';

const model = smallModel([
  { stack: 'run@3;read@9', weight: 10 },
  { stack: 'run@3;run@3;read@9', weight: 5 },
  { stack: 'run@4', weight: 2 },
  { stack: 'other@3', weight: 100 },
]);
const { frames, strings } = model.report;
frames.source = Int32Array.from(frames.name, (name) => (strings[name] === 'other' ? 1 : 0));
const label = (name: string) => model.functions.name.indexOf(name);

describe('the lines of a source file', () => {
  const lines = weightOfLines(model, compileSelection(model, {}, true), 0);
  it('have the weight of their stacks, a recursive one once', () => expect(lines.get(3)).toEqual({ self: 0, total: 15 }));
  it('have what they cost themselves', () => {
    expect(lines.get(9)).toEqual({ self: 15, total: 15 });
    expect(lines.get(4)).toEqual({ self: 2, total: 2 });
  });
  it('are those of that file only', () => expect([...lines.keys()].sort()).toEqual([3, 4, 9]));
});

describe('the source of a function', () => {
  it('is the file of its frames, with its lines', () => expect(sourceOf(model, label('run'))).toEqual({ source: 0, lines: [3, 4] }));
  it('is unknown without source code', () => {
    const without = smallModel([{ stack: 'run@3', weight: 1 }]);
    expect(sourceOf(without, 0)).toBeNull();
  });
});
