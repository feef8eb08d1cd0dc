// SPDX-License-Identifier: Apache-2.0
import { expect, it } from 'vitest';
import { withDefaults } from '../data/decode.ts';
import { Model } from '../data/model.ts';
import { groupsOf, mergePhases, mergeStages } from './stage_groups.ts';

const stage = (stageId: number, work: string, more = {}) => ({
  stageId,
  attemptId: 0,
  work,
  line: 'collect at a.py:1',
  status: 'COMPLETE',
  numTasks: 2,
  numFailedTasks: 0,
  numKilledTasks: 0,
  totals: { gcTimeNs: stageId },
  quantiles: {},
  ...more,
});

const stages = [stage(0, 'sort'), stage(1, 'scan'), stage(2, 'sort', { status: 'FAILED', numFailedTasks: 1 })];

const model = new Model(
  withDefaults({
    stages,
    tasks: { taskId: [0, 1, 2, 3], stage: [0, 0, 2, 2], begin: [0, 0, 0, 0], end: [1, 1, 1, 1], durationNs: [4, 1, 3, 2] },
  } as never),
);

it('groups the stages of one line that do the same', () => {
  expect(groupsOf(model.report.stages, [0, 1, 2])).toEqual([[0, 2]]);
  expect(groupsOf(model.report.stages, [0, 1])).toEqual([]);
});

it('adds the stages of a group up, with the worst status and the quantiles of all their tasks', () => {
  expect(mergeStages(model, [0, 2])).toMatchObject({
    stageId: 2,
    status: 'FAILED',
    numTasks: 4,
    numFailedTasks: 1,
    totals: { gcTimeNs: 2 },
    quantiles: { durationNs: [1, 1, 2, 3, 4] },
  });
});

it('gives no quantiles where the page lacks tasks', () => {
  expect(mergeStages(model, [0, 1]).quantiles).toEqual({});
});

it('adds phases up', () => {
  const phases = (ns: number, sampled: boolean) => ({ parts: [{ phase: 'jvm', ns }], whole: ns, sampled });
  expect(mergePhases([phases(2, true), phases(3, false)])).toEqual(phases(5, false));
});
