// SPDX-License-Identifier: Apache-2.0
import { expect, it } from 'vitest';
import { smallModel } from '../../../tests/small_report.ts';
import type { Finding } from '../../data/contract.ts';
import { failureChain } from './failure_chain.ts';

const finding: Finding = {
  id: 'x',
  rule: 'failed-work',
  title: '',
  what: '',
  severity: 'high',
  confidence: 'high',
  evidence: { stage: 1, stageAttempt: 0 },
  savingMs: { low: 0, high: 0 },
  saving: '',
};

function failed() {
  const model = smallModel([]);
  const { stages, jobs, tasks } = model.report;
  stages[1]!.status = 'FAILED';
  jobs[1]!.status = 'FAILED';
  tasks.status.set([2, 2], 4);
  tasks.index.set([0, 0], 4);
  tasks.attempt.set([0, 1], 4);
  return model;
}

it('has the attempts of a task, then the stage and the job that failed', () => {
  expect(failureChain(failed(), finding).map(({ at, text, detail }) => [at, text, detail])).toEqual([
    [6000, 'Task 14 failed', 'partition 0, attempt 1, executor 1'],
    [6500, 'Task 15 failed', 'partition 0, attempt 2, executor 2'],
    [8000, 'Stage 1 failed', 'stage 1'],
    [8000, 'Job 1 failed', ''],
  ]);
});

it('begins with the known cause', () => {
  const failure = {
    id: 'heap-full',
    cause: 'The Java heap was full.',
    chain: [{ what: 'heap-full', text: 'The Java heap was full.', at: 5000, task: 14, host: 'a' }],
  };
  expect(failureChain(failed(), { ...finding, failure }).map(({ at, text, detail }) => [at, text, detail])[0]).toEqual([
    4000,
    'The Java heap was full',
    'task 14 on a',
  ]);
});

it('begins with the executors that the finding names', () => {
  const model = smallModel([]);
  Object.assign(model.report.executors[1]!, { removeTime: 4000, removeReason: 'OOM' });
  const lost = { ...finding, rule: 'lost-executors', what: 'Executor 2 was lost while the application ran' };
  expect(failureChain(model, lost)).toEqual([{ at: 3000, text: 'Executor 2 was lost', detail: 'OOM' }]);
});
