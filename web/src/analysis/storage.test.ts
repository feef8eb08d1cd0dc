// SPDX-License-Identifier: Apache-2.0
import { describe, expect, it } from 'vitest';
import type { StoredRdd } from '../data/contract.ts';
import { nameOf, storageCurve, storedAt } from './storage.ts';

const rdd = (id: number, stored?: [number, number][]): StoredRdd => ({
  id,
  name: `rdd\n  +- Scan ${id}`,
  storageLevel: 'Memory',
  numPartitions: 2,
  stageIds: [],
  ...(stored && {
    stored: {
      time: Float64Array.from(stored, ([ms]) => ms),
      partitions: new Uint32Array(stored.length),
      memoryBytes: Float64Array.from(stored, ([, bytes]) => bytes),
      diskBytes: new Float64Array(stored.length),
    },
  }),
});

describe('cached RDDs', () => {
  it('hold what the last change before a time left', () => {
    const one = rdd(1, [
      [1000, 10],
      [2000, 30],
      [3000, 0],
    ]);
    expect([500, 1000, 1999, 2000, 9000].map((ms) => storedAt(one, 'memoryBytes', ms))).toEqual([0, 10, 10, 30, 0]);
    expect(storedAt(rdd(2), 'memoryBytes', 5000)).toBe(0);
  });
  it('stand on top of each other at common times, the largest at the bottom', () => {
    const curve = storageCurve([rdd(1, [[1000, 10]]), rdd(2, [[2000, 30]]), rdd(3)], 'memoryBytes', 'Cached', 5000)!;
    expect(curve.lines.map(({ label, value }) => [label, value])).toEqual([
      ['1 rdd +- Scan 1', [0, 10, 10, 10]],
      ['2 rdd +- Scan 2', [0, 0, 30, 30]],
    ]);
    expect(curve.aligned[0]).toEqual([0, 1000, 2000, 5000]);
  });
  it('beyond the seventh share an area', () => {
    const many = Array.from({ length: 10 }, (_, i) => rdd(i, [[1000, 100 - i]]));
    const curve = storageCurve(many, 'memoryBytes', 'Cached', 5000)!;
    expect(curve.lines[0]).toMatchObject({ label: '3 others', value: [0, 93 + 92 + 91, 93 + 92 + 91] });
  });
  it('have no curve where nothing was stored', () =>
    expect(storageCurve([rdd(1, [[1000, 10]]), rdd(2)], 'diskBytes', 'Cached', 5000)).toBeNull());
  it('have a name on one line', () => expect(nameOf(rdd(4))).toBe('4 rdd +- Scan 4'));
});
