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
    { name: 'Project', reason: 'rlike', cost: 3e9 },
    { name: 'Sort', reason: 'the collation is not supported', cost: 1e9 },
    { name: 'Window', reason: '', cost: undefined },
  ]);
});
