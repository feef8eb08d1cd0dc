// SPDX-License-Identifier: Apache-2.0
import { expect, it } from 'vitest';
import { smallModel } from '../../../tests/small_report.ts';
import { Origin } from '../../data/contract.ts';
import { heaviestStack } from './heaviest_stack.ts';

it('follows the heaviest callee while most of the weight is below it', () => {
  const model = smallModel([
    { stack: 'a;b;c', weight: 6 },
    { stack: 'a;b;d', weight: 2 },
    { stack: 'e', weight: 2 },
  ]);
  const names = heaviestStack(model, {}).map(({ label, share }) => [model.functions.name[label], share]);
  expect(names).toEqual([
    ['a', 0.8],
    ['b', 0.8],
    ['c', 0.6],
  ]);
  expect(heaviestStack(model, { event: 'wall' })).toEqual([]);
});

it('shows the program also while other threads have most of the samples', () => {
  const model = smallModel([
    { stack: 'compiler;parse', weight: 8 },
    { stack: 'main;score', weight: 2 },
  ]);
  model.functions.name.forEach((name, label) => {
    model.functions.origin[label] = /main|score/.test(name) ? Origin.User : Origin.Vm;
  });
  expect(heaviestStack(model, {}).map(({ label, share }) => [model.functions.name[label], share])).toEqual([
    ['main', 0.2],
    ['score', 0.2],
  ]);
});
