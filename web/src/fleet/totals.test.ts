// SPDX-License-Identifier: Apache-2.0
import { describe, expect, it } from 'vitest';
import { makeFleet } from '../../tests/make_fleet.ts';
import { regressionsOf } from './regressions.ts';
import { filterOf } from './filter_address.ts';
import { Fleet } from './totals.ts';

describe('totals of a fleet', () => {
  const fleet = new Fleet(makeFleet(400));
  const everything = filterOf(fleet, new URLSearchParams());
  const all = fleet.select(everything);

  it('are those of its parts', () => {
    const total = fleet.total(all);
    for (const dimension of ['user', 'job', 'queue'] as const) {
      const parts = fleet.totalsBy(dimension, all);
      expect(parts.reduce((sum, { core }) => sum + core, 0)).toBeCloseTo(total.core);
      expect(parts.reduce((sum, { saved }) => sum + saved.core, 0)).toBeCloseTo(total.saved.core);
    }
    expect(fleet.totalsByDay(all).reduce((sum, [, { applications }]) => sum + applications, 0)).toBe(400);
    expect(fleet.totalsByRule(all, 'core').reduce((sum, { core }) => sum + core, 0)).toBeCloseTo(total.saved.core);
  });

  it('have what the filter selects, both days included', () => {
    const ana = fleet.select({ ...everything, values: { user: 1, queue: 0 } });
    expect(fleet.total(ana).applications).toBe(
      Array.from({ length: 400 }, (_, row) => row).filter((row) => row % 3 === 1 && row % 2 === 0).length,
    );
    const day = fleet.day[0]!;
    expect(fleet.total(fleet.select({ ...everything, from: day, to: day })).applications).toBe(5);
  });

  it('are those of the applications with a finding, as its row counts them', () => {
    for (const { rule, applications } of fleet.totalsByRule(all, 'core'))
      expect(fleet.total(fleet.select({ ...everything, rule })).applications).toBe(applications);
  });

  it('of unknown cost have none', () => {
    const data = makeFleet(10);
    data.cost = data.cost.map(() => null);
    expect(new Fleet(data).hasCost).toBe(false);
  });
});

describe('jobs that got slower', () => {
  it('are those whose level changed, with what changed', () => {
    const found = regressionsOf(new Fleet(makeFleet(400)));
    expect(found.map(({ job }) => job)).toEqual([3]);
    expect(found[0]!.changes).toEqual(['Spark 3.5.1 → 4.0.0']);
    expect(found[0]!.afterMs / found[0]!.beforeMs).toBeGreaterThan(1.9);
  });
});
