// SPDX-License-Identifier: Apache-2.0
import { expect, it } from 'vitest';
import { ticksOf } from './scatter.ts';

const mib = 2 ** 20;

it('has round ticks from zero', () => {
  expect(ticksOf({ least: 0, most: 90 * mib }, 'bytes', 800)).toEqual([0, 25, 50, 75].map((size) => size * mib));
  expect(ticksOf({ least: 0, most: 1000 }, 'count', 800)).toEqual([0, 250, 500, 750, 1000]);
});

it('has ticks inside the range of sizes that differ little', () => {
  expect(ticksOf({ least: 81.5 * mib, most: 90 * mib }, 'bytes', 800)).toEqual([82.5, 85, 87.5, 90].map((size) => size * mib));
});
