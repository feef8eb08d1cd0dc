// SPDX-License-Identifier: Apache-2.0
import { expect, it } from 'vitest';
import { smallModel } from '../../../tests/small_report.ts';
import type { Finding } from '../../data/contract.ts';
import { dataOf, tasksOfFinding } from './finding_tasks.ts';

const model = smallModel([]);
const finding = { evidence: { stage: 0, task: 13 } } as Finding;

it('has the tasks of the stage, the slowest first, and marks those of the finding', () => {
  const { rows, marked } = tasksOfFinding(model, finding);
  expect(rows).toEqual([3, 2, 0, 1]);
  expect([...marked]).toEqual([3]);
});

it('chooses the data of which the task has most', () => {
  const { tasks } = model.report;
  tasks.inputRecords = Float64Array.of(2000, 2000, 2000, 6000, 0, 0);
  tasks.shuffleReadBytes = Float64Array.of(2e6, 2e6, 2e6, 4e6, 0, 0);
  expect(dataOf(model, [3, 2, 0, 1], 3)?.name).toBe('inputRecords');
  tasks.inputRecords = Float64Array.of(0, 0, 0, 9, 0, 0);
  expect(dataOf(model, [3, 2, 0, 1], 3)?.name).toBe('shuffleReadBytes');
});
