// SPDX-License-Identifier: Apache-2.0
import { expect, it } from 'vitest';
import { fallbacksOf } from './fallbacks.ts';

it('lists what an engine leaves to Spark by cost, unknown costs last', () => {
  const plan = {
    name: 'CometProject',
    children: [
      { name: 'Window', fallback: { reason: '' } },
      {
        name: 'Sort',
        fallback: { reason: 'the collation is not supported', costNs: 1e9 },
        children: [{ name: 'Project', fallback: { reason: 'rlike', costNs: 3e9 } }],
      },
    ],
  };
  expect(fallbacksOf(plan)).toEqual([
    { name: 'Project', reason: 'rlike', count: 1, cost: 3e9 },
    { name: 'Sort', reason: 'the collation is not supported', count: 1, cost: 1e9 },
    { name: 'Window', reason: '', count: 1, cost: undefined },
  ]);
});

it('adds up operators of one name and reason', () => {
  const filter = (costNs?: number) => ({ name: 'Filter', fallback: { reason: 'rlike', ...(costNs && { costNs }) } });
  expect(fallbacksOf({ name: 'CometUnion', children: [filter(2), filter(), filter(3)] })).toEqual([
    { name: 'Filter', reason: 'rlike', count: 3, cost: 5 },
  ]);
});
