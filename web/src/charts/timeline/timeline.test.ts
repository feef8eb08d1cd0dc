// SPDX-License-Identifier: Apache-2.0
import { describe, expect, it } from 'vitest';
import { packIntervals } from './pack.ts';
import { zoomed } from './pointer.ts';
import { tickLabel, ticks, tickStep } from './scale.ts';

describe('packing', () => {
  it('uses as many rows as run at once', () => {
    const { row, rows } = packIntervals([0, 1, 5, 6], [5, 6, 9, 9]);
    expect(rows).toBe(2);
    expect([...row]).toEqual([0, 1, 0, 1]);
  });
  it('bears clocks that differ a little', () => expect(packIntervals([0, 99], [100, 200], 2).rows).toBe(1));
});

describe('the time axis', () => {
  it('has round ticks', () => expect(ticks(0, 33_500, 10)).toEqual([0, 5000, 10_000, 15_000, 20_000, 25_000, 30_000]));
  it('has labels as fine as its step', () => {
    expect([tickLabel(1500, 500), tickLabel(5000, 5000), tickLabel(150_000, 30_000), tickLabel(5_400_000, 1_800_000)]).toEqual([
      '1.5 s',
      '5 s',
      '2:30',
      '1:30 h',
    ]);
  });
  it('has a step for weeks', () => expect(tickStep(30 * 86400e3, 10)).toBe(3 * 86400e3));
  it('zooms around the pointer and stays inside', () => {
    expect(zoomed({ from: 0, to: 1000 }, 250, 0.5, 1000)).toEqual({ from: 125, to: 625 });
    expect(zoomed({ from: 0, to: 500 }, 0, 1.25, 1000)).toEqual({ from: 0, to: 625 });
    expect(zoomed({ from: 100, to: 900 }, 500, 1.5, 1000)).toBeNull();
  });
});
