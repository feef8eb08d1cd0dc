// SPDX-License-Identifier: Apache-2.0
import { expect, it } from 'vitest';
import { smallModel } from '../../../tests/small_report.ts';
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
