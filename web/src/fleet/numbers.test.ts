// SPDX-License-Identifier: Apache-2.0
import { describe, expect, it } from 'vitest';
import { datedDays, hours, jobText, money } from './numbers.ts';

describe('hours and money', () => {
  it('that round to nothing are less than the last digit', () => {
    expect([0, 0.0004, 0.01, 1.234, 12_345].map(hours)).toEqual(['0', '<0.01', '0.01', '1.23', '12,345']);
    expect([0, 0.0004, 0.01, 1.234, 12_345].map(money)).toEqual(['0.00', '<0.01', '0.01', '1.23', '12,345']);
  });
});

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
