// SPDX-License-Identifier: Apache-2.0
import { describe, expect, it } from 'vitest';
import { smallModel } from '../../tests/small_report.ts';
import type { Selection } from '../data/contract.ts';
import { compileSelection, eventOf, taskMask, weigh } from './selection.ts';

const model = smallModel([
  { stack: 'a;b', weight: 1, task: 0, executor: 0, thread: 0, bucket: 0 },
  { stack: 'a;b', weight: 2, task: 1, executor: 1, thread: 1, bucket: 0 },
  { stack: 'a;c', weight: 4, task: 2, executor: 0, thread: 0, bucket: 1 },
  { stack: 'a;c', weight: 8, task: 3, executor: 1, thread: 1, bucket: 3 },
  { stack: 'a;d', weight: 16, task: 4, executor: 0, thread: 0, bucket: 5 },
  { stack: 'g', weight: 32, executor: 0, bucket: 2 },
  { stack: 'idle', weight: 64, executor: 1, thread: 1, bucket: 2, category: 3, event: 2 },
  { stack: 'a;b', weight: 128, task: 0, event: 2 },
]);
const total = (selection: Selection, hideIdle = true) => weigh(model, compileSelection(model, selection, hideIdle)).total;

describe('a selection', () => {
  it('of nothing is all samples of the CPU', () => expect(total({})).toBe(1 + 2 + 4 + 8 + 16 + 32));
  it('says how much idle time it left out', () => expect(weigh(model, compileSelection(model, { event: 'wall' }, true)).idle).toBe(64));
  it('shows idle pool threads when asked', () => expect(total({ event: 'wall' }, false)).toBe(192));
  it('by event', () => expect(total({ event: 'wall' })).toBe(128));
  it('takes an unknown event as CPU', () => expect(eventOf(model, { event: 'nothing' })?.name).toBe('cpu'));
  it('by job', () => expect(total({ job: 1 })).toBe(16));
  it('by a tag of jobs', () =>
    expect([total({ tag: 'user:me' }), total({ tag: 'me' }), total({ tag: 'etl', job: 0 })]).toEqual([16, 0, 0]));
  it('by stage leaves samples without a task out', () => expect(total({ stage: 0 })).toBe(15));
  it('by stage attempt', () => expect([total({ stage: 0, stageAttempt: 0 }), total({ stage: 0, stageAttempt: 1 })]).toEqual([15, 0]));
  it('by SQL execution', () => expect(total({ sql: 5 })).toBe(16));
  it('by an operator of a plan, also outside tasks', () => {
    const planned = smallModel([
      { stack: 'a', weight: 1, task: 4 },
      { stack: 'b', weight: 2, task: 4 },
      { stack: 'c', weight: 4 },
    ]);
    planned.report.samples.operator = Uint32Array.of(2, 1, 1);
    planned.sqlById.set(5, {
      id: 5,
      description: '',
      status: 'COMPLETED',
      runningJobIds: [],
      successJobIds: [],
      failedJobIds: [],
      errorMessage: '',
      planVersions: [],
      plan: { name: 'WholeStageCodegen (1)', children: [{ name: 'Sort', operator: 1, children: [{ name: 'Range', operator: 2 }] }] },
    });
    const of = (node: number) => weigh(planned, compileSelection(planned, { sql: 5, node }, true)).total;
    expect([of(0), of(1), of(2)]).toEqual([0, 6, 1]);
  });
  it('by what tasks do: in the JVM, in Python, waiting for shuffle data, on a CPU or waiting for one', () => {
    const phased = smallModel([
      { stack: 'a', weight: 1, task: 0 },
      { stack: 'a;[python worker];f', weight: 2, task: 0 },
      { stack: 'a', weight: 4 },
      { stack: 'a', weight: 8, task: 0, event: 2, state: 1 },
      { stack: 'a;ShuffleBlockFetcherIterator.next', weight: 16, task: 0, event: 2, state: 2 },
      { stack: 'a;read', weight: 32, task: 0, event: 2, state: 2 },
    ]);
    const of = (phase: string, event: string) => weigh(phased, compileSelection(phased, { phase, event }, true)).total;
    expect([of('jvm', 'cpu'), of('python', 'cpu')]).toEqual([1, 2]);
    expect([of('cpuWait', 'wall'), of('fetch', 'wall'), of('other', 'wall')]).toEqual([8, 16, 32]);
  });
  it('by TID', () => expect(total({ task: 12 })).toBe(4));
  it('by several TIDs', () => expect(total({ task: [10, 13] })).toBe(9));
  it('by executor', () => expect(total({ executor: '2' })).toBe(10));
  it('by all the other executors', () => expect(total({ executor: '!2' })).toBe(1 + 4 + 16 + 32));
  it('by host', () => expect([total({ executor: '@b' }), total({ executor: '!@b' })]).toEqual([10, 1 + 4 + 16 + 32]));
  it('by thread, as number and as name', () => expect([total({ thread: 200 }), total({ thread: 'worker-1' })]).toEqual([10, 10]));
  it('by time, the end excluded', () => expect(total({ from: 1000, to: 3000 })).toBe(4 + 32));
  it('by time, with buckets that lie partly inside', () => expect(total({ from: 1500, to: 1600 })).toBe(4));
  it('by several members at once', () => expect(total({ stage: 0, executor: '2', to: 2000 })).toBe(2));
  it('of what is not there is nothing', () => expect(total({ stage: 99 })).toBe(0));
});

describe('wall clock', () => {
  const wall = smallModel([
    { stack: 'task;wait', weight: 1, task: 0, event: 2, state: 2 },
    { stack: 'gc;wait', weight: 2, event: 2, state: 2, thread: 1 },
    { stack: 'main;run', weight: 4, event: 2, state: 1 },
    { stack: 'lock', weight: 8, event: 1, state: 2 },
  ]);
  const sum = (selection: Selection, hideIdle = true) => weigh(wall, compileSelection(wall, selection, hideIdle)).total;
  it('leaves threads out that sleep outside tasks', () => expect(sum({ event: 'wall' })).toBe(5));
  it('shows them when asked, by the toggle or by the thread', () =>
    expect([sum({ event: 'wall' }, false), sum({ event: 'wall', thread: 200 })]).toEqual([7, 2]));
  it('is the only event that does', () => expect(sum({ event: 'cpu' })).toBe(8));
});

describe('task sets', () => {
  const tids = (selection: Selection) =>
    [...taskMask(model, selection)!].flatMap((on, task) => (on ? [model.report.tasks.taskId[task]] : []));
  it('slowest5 is the slowest task of a small stage', () => expect(tids({ stage: 0, task: 'slowest5' })).toEqual([13]));
  it('median is the task in the middle', () => expect(tids({ stage: 0, task: 'median' })).toEqual([10]));
  it('ranks inside each stage', () => expect(tids({ task: 'slowest5' })).toEqual([13, 15]));
  it('ranks among the tasks of the chosen executor', () => expect(tids({ stage: 0, executor: '1', task: 'slowest5' })).toEqual([12]));
});
