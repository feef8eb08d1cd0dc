// SPDX-License-Identifier: Apache-2.0
import { expect, it } from 'vitest';
import type { ComparedMetric } from '../analysis/compared_tasks.ts';
import { differenceInWords } from './task_difference.ts';

const compared = (values: Record<string, [number, number]>): ComparedMetric[] =>
  Object.entries(values).map(([name, [a, b]]) => ({ metric: { name, label: name, unit: 'ns' }, a, b }));

it('names the records that a long task has more of, and its code', () => {
  const metrics = compared({ durationNs: [23e9, 1e9], shuffleReadRecords: [36e6, 1e6], shuffleReadBytes: [9e6, 1e6] });
  expect(differenceInWords(metrics, 0.8)).toBe('23× longer: 36× the records, same code');
  expect(differenceInWords(metrics, null)).toBe('23× longer: 36× the records');
});

it('names waits where the work is the same', () => {
  expect(differenceInWords(compared({ durationNs: [9e9, 1e9], gcTimeNs: [6e9, 0], inputRecords: [100, 100] }), 0.4)).toBe(
    '9× longer: 6.0 s more of GC',
  );
  expect(differenceInWords(compared({ durationNs: [9e9, 1e9], inputRecords: [100, 100] }), 0.1)).toBe(
    '9× longer: same records, different code',
  );
});

it('names a task that alone spills', () => {
  expect(differenceInWords(compared({ durationNs: [2e9, 1e9], diskSpilledBytes: [1e9, 0] }), null)).toBe(
    '2× longer: only this one spills to disk',
  );
});

it('says nothing where tasks take about the same time', () => {
  expect(differenceInWords(compared({ durationNs: [1.1e9, 1e9] }), 1)).toBe('');
});
