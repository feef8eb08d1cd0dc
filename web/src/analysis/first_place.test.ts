// SPDX-License-Identifier: Apache-2.0
import { describe, expect, it } from 'vitest';
import { firstAfter, firstPlace } from './first_place.ts';

describe('the first place', () => {
  it('is the end where nothing holds', () => {
    expect(firstPlace(3, () => false)).toBe(3);
    expect(firstAfter([], 5)).toBe(0);
  });

  it('is behind equal times', () => {
    expect(firstAfter([1, 5, 5, 9], 5)).toBe(3);
    expect(firstAfter([1, 5, 5, 9], 0)).toBe(0);
  });
});
