// SPDX-License-Identifier: Apache-2.0
import { expect, it } from 'vitest';
import { asText, smallModel } from '../../tests/small_report.ts';
import { compileSelection } from './selection.ts';
import { arrange, threadGroups } from './thread_groups.ts';

const stacks = [
  { stack: 'a;b;c;d;mine', weight: 90, task: 0 },
  { stack: 'a;b;x', weight: 5, task: 0 },
  { stack: 'compile', weight: 40, thread: 1 },
];

function arranged(plumbing: string) {
  const model = smallModel(stacks);
  model.report.threads[1]!.kind = 'jit';
  const names = [...model.functions.name, ...threadGroups];
  const { tree, sides } = arrange(
    model,
    [compileSelection(model, {}, true)],
    model.tree,
    Int32Array.from({ length: model.tree.count }, (_, i) => i),
    {
      plumbing: Uint8Array.from(model.functions.name, (name) => (plumbing.includes(name) ? 1 : 0)),
      labelOfGroup: (name) => model.functions.count + name,
      labelOfRun: (length) => names.length + length,
    },
  );
  return asText(tree, sides[0]!, (label) => names[label] ?? `${label - names.length} frames`);
}

it('has tasks as they are and other threads below a name', () => {
  expect(arranged('')).toEqual({ 'a;b;c;d;mine': 90, 'a;b;x': 5, 'JIT compiler;compile': 40 });
});

it('makes one row of a long run of plumbing, and keeps what leaves it', () => {
  expect(arranged('abcd')).toEqual({ '4 frames;mine': 90, '4 frames;x': 5, 'JIT compiler;compile': 40 });
  expect(arranged('abc')).toEqual({ 'a;b;c;d;mine': 90, 'a;b;x': 5, 'JIT compiler;compile': 40 });
});
