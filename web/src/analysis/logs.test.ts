// SPDX-License-Identifier: Apache-2.0
import { describe, expect, it } from 'vitest';
import { Model } from '../data/model.ts';
import { demoReport } from '../../tests/make_data.ts';
import { filterLogs, placeOf, templateCurves, textOf } from './logs.ts';

const model = new Model(demoReport());
const logs = model.report.logs!;
const all = { levels: new Set<number>(), executors: null, template: -1, search: '' };

describe('log records', () => {
  it('have the texts they were written with', () => {
    const rows = filterLogs(logs, { ...all, levels: new Set([5]) });
    expect(rows).toHaveLength(2);
    expect(textOf(logs, rows[0]!)).toContain('Caused by: java.io.IOException');
  });

  it('are cut by executor, time, template and search at once', () => {
    const rows = filterLogs(logs, { ...all, executors: Uint8Array.of(0, 1, 0), from: 5000, to: 15_000, template: 1, search: 'stage 3' });
    expect(rows.length).toBeGreaterThan(0);
    for (const row of rows) {
      expect(logs.records.executor[row]).toBe(1);
      expect(logs.records.time[row]).toBeGreaterThanOrEqual(5000);
      expect(textOf(logs, row)).toContain('stage 3');
    }
  });

  it('are found by their moment', () => {
    const rows = filterLogs(logs, all);
    const at = placeOf(logs, rows, 9000);
    expect(logs.records.time[rows[at]!]).toBeGreaterThanOrEqual(9000);
    expect(logs.records.time[rows[at - 1]!]).toBeLessThan(9000);
    expect(placeOf(logs, rows, 1e12)).toBe(rows.length - 1);
    expect(placeOf(logs, [], 5)).toBe(0);
  });

  it('are counted over time by template', () => {
    const curves = templateCurves(logs, model.duration, 60);
    const sum = [...curves.get(1)!].reduce((total, value) => total + value, 0);
    expect(sum).toBe(logs.templates[1]!.count);
  });
});
