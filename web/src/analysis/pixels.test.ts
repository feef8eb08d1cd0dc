// SPDX-License-Identifier: Apache-2.0
import { expect, it } from 'vitest';
import { highestPerPixel } from './pixels.ts';

it('a value holds until the next one', () => expect([...highestPerPixel([0, 4], [1, 2], 0, 8, 4)]).toEqual([1, 1, 2, 2]));
it('of values within a pixel the highest is seen', () => expect([...highestPerPixel([0, 1, 2], [1, 9, 3], 0, 8, 2)]).toEqual([9, 3]));
it('there is nothing before the first value, and values outside do not count', () =>
  expect([...highestPerPixel([2, 6, 9], [5, null, 7], 0, 8, 4)]).toEqual([0, 5, 5, 0]));
