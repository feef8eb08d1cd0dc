// SPDX-License-Identifier: Apache-2.0
import { describe, expect, it } from 'vitest';
import { datedDays, jobText } from './numbers.ts';

describe('the name of a job', () => {
  it('has no places of dates and numbers', () => {
    expect(['daily_sales_*', '*-etl', 'load_*_by_*', '*', 'plain'].map(jobText)).toEqual(['daily_sales', 'etl', 'load_…_by', '*', 'plain']);
  });
});

describe('dates below the bars of days', () => {
  it('are a few at equal distances from the first day on', () => {
    expect(datedDays(100, 104)).toEqual([100, 101, 102, 103, 104]);
    expect(datedDays(100, 160)).toEqual([100, 107, 114, 121, 128, 135, 142, 149, 156]);
    expect(datedDays(0, 3000).length).toBeLessThanOrEqual(9);
  });
});
