// SPDX-License-Identifier: Apache-2.0
import { describe, expect, it } from 'vitest';
import { Model } from '../../data/model.ts';
import { demoReport } from '../../../tests/make_data.ts';
import { changesOf, concurrencyCurve, profileOf, profileOfAll, sweep } from './concurrency.ts';

describe('running tasks', () => {
  it('steps up at begins and down at ends', () => {
    expect(sweep(changesOf([1, 2, 4], [4, 3, 6], [0, 1, 2], 0))).toEqual({ time: [1, 2, 3, 4, 6], running: [1, 2, 1, 1, 0] });
  });

  it('counts a task that takes no time without leaving it running', () => {
    expect(sweep(changesOf([5], [5], [0], 0))).toEqual({ time: [5], running: [0] });
  });

  it('ends a task where the next one starts on its executor’s last core', () => {
    const begin = [0, 0, 10];
    const end = [12, 40, 30];
    expect(sweep(changesOf(begin, end, [0, 1, 2], 2))).toEqual({ time: [0, 10, 30, 40], running: [2, 2, 1, 0] });
    expect(sweep(changesOf(begin, end, [0, 1, 2], 0)).running).toContain(3);
  });

  it('shares out the whole duration', () => {
    const profile = profileOf(sweep(changesOf([10, 20], [40, 30], [0, 1], 0)), 100);
    expect([...profile.timeAt]).toEqual([70, 20, 10]);
    expect(profile.peak).toBe(2);
    expect(profile.mean).toBeCloseTo(0.4);
  });

  it('takes the writer’s counts where the page does not have all tasks', () => {
    const report = demoReport();
    report.concurrency = { time: Float64Array.of(1000, 2000), running: Uint32Array.of(900, 0), timeAt: Float64Array.of(5000, 2500) };
    const model = new Model(report);
    expect(concurrencyCurve(model, null)!.lines[0]!.value).toContain(900);
    expect(profileOfAll(model).peak).toBe(1);
  });

  it('has a line for each executor that ran tasks', () => {
    const model = new Model(demoReport());
    const curve = concurrencyCurve(model, null)!;
    expect(curve.lines.map((line) => line.label)).toEqual(['executor 1', 'executor 2']);
    expect(Math.max(...curve.lines.flatMap((line) => line.value.map(Number)))).toBeLessThanOrEqual(2);
    const only = concurrencyCurve(model, Uint8Array.of(0, 1, 0))!;
    expect(only.lines).toHaveLength(1);
  });
});
