// SPDX-License-Identifier: Apache-2.0
import { describe, expect, it } from 'vitest';
import { generator } from '../../tests/make_data.ts';
import { orderOf } from './order.ts';

const sorted = (keys: (number | string)[], ascending: boolean) => [...orderOf(keys, ascending)].map((place) => keys[place]);

describe('the order of rows', () => {
  it('is that of the numbers, of any sign and size', () => {
    const keys = [3, -1.5, 0, 1e300, -1e300, 2 ** 53, 0.1, Infinity, -0.1, -Infinity];
    expect(sorted(keys, true)).toEqual([...keys].sort((a, b) => a - b));
    expect(sorted(keys, false)).toEqual([...keys].sort((a, b) => b - a));
  });
  it('keeps rows with equal keys in order, both ways', () => {
    expect([...orderOf([2, 0, 2, -0, 1], true)]).toEqual([1, 3, 4, 0, 2]);
    expect([...orderOf([2, 0, 2, -0, 1], false)]).toEqual([0, 2, 4, 1, 3]);
  });
  it('of many rows is that of a comparison', () => {
    const random = generator(3);
    const keys = Array.from({ length: 5000 }, () => Math.floor(random() * 1e12) - 5e11);
    expect(sorted(keys, true)).toEqual([...keys].sort((a, b) => a - b));
  });
  it('is that of words where a key is a text, such as that of a value that is not known', () => {
    expect(sorted(['b', 'a', 'ä', 'c'], true)).toEqual(['a', 'ä', 'b', 'c']);
    expect(sorted(['', 2, 1], false)).toEqual([2, 1, '']);
  });
});
