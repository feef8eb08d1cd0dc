// SPDX-License-Identifier: Apache-2.0
import { expect, it } from 'vitest';
import { smallModel } from '../../../tests/small_report.ts';
import { Origin } from '../../data/contract.ts';
import { userTime } from './user_functions.ts';

const samples = [
  { stack: 'run;score;lib', weight: 600, task: 0, event: 2 },
  { stack: 'run;score', weight: 100, task: 4, event: 2 },
  { stack: 'run;write', weight: 300, task: 1, event: 2 },
];

function model() {
  const made = smallModel(samples);
  made.functions.name.forEach((name, label) => {
    made.functions.origin[label] = name === 'score' ? Origin.User : Origin.Spark;
  });
  return made;
}

it('gives each sample to the innermost function of the user', () => {
  const { whole, user, functions } = userTime(model(), 2);
  expect([whole, user]).toEqual([1000, 700]);
  expect(functions.map(({ weight }) => weight)).toEqual([700]);
});

it('counts only samples of the selected time', () => {
  const made = model();
  made.report.samples.bucket.set([0, 1, 2]);
  const { bucketMs } = made.report;
  const { whole, user } = userTime(made, 2, { from: bucketMs, to: 3 * bucketMs });
  expect([whole, user]).toEqual([400, 100]);
});

it('gives each sample to its innermost function where nothing is the user’s', () => {
  const made = model();
  made.functions.origin.fill(Origin.Spark);
  expect(userTime(made, 2).functions).toEqual([]);
  const named = userTime(made, 2, {}, true).functions.map(({ label, weight }) => [made.functions.name[label], weight]);
  expect(named).toEqual([
    ['lib', 600],
    ['write', 300],
    ['score', 100],
  ]);
});
