// SPDX-License-Identifier: Apache-2.0
import { expect, it } from 'vitest';
import { smallModel } from '../../tests/small_report.ts';
import { Origin } from '../data/contract.ts';
import { userTime } from './user_functions.ts';
import { verdictOf } from './verdict.ts';
import { verdictMarkdown } from '../state/markdown.ts';

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
  made.report.stages[0]!.wallNs = 4e9;
  made.report.stages[1]!.wallNs = 1e9;
  return made;
}

it('gives each sample to the innermost function of the user', () => {
  const { whole, user, functions } = userTime(model(), 2);
  expect([whole, user]).toEqual([1000, 700]);
  expect(functions.map(({ weight }) => weight)).toEqual([700]);
});

it('gives each sample to its innermost function where nothing is the user’s', () => {
  const made = model();
  made.functions.origin.fill(Origin.Spark);
  expect(userTime(made, 2).functions).toEqual([]);
  const named = userTime(made, 2, -1, true).functions.map(({ label, weight }) => [made.functions.name[label], weight]);
  expect(named).toEqual([
    ['lib', 600],
    ['write', 300],
    ['score', 100],
  ]);
});

it('names the longest stage, its share, and the code in it', () => {
  const { place, code } = verdictOf(model());
  expect(place).toMatchObject({ text: 'stage 0', share: 0.5, selection: { stage: 0, stageAttempt: 0 } });
  expect(code?.text).toBe('score');
  expect(code?.share).toBeCloseTo(2 / 3);
});

it('has the shares of the bar below it: the parts of the wall time', () => {
  const made = model();
  made.report.wallTime = [
    { name: 'Driver before the first stage', ns: 3e9, begin: 0, selection: { executor: 'driver' } },
    { name: 'Stage 1.0 x', ns: 5e9, begin: 3000, selection: { stage: 1, stageAttempt: 0 } },
  ];
  expect(verdictOf(made).place).toMatchObject({ text: 'stage 1', share: 5 / 8, selection: { stage: 1, stageAttempt: 0 } });
});

it('is about the stage of the first finding, and is Markdown to paste', () => {
  const made = model();
  made.report.findings = [
    {
      id: 'x',
      title: 'Stage 1: a *slow* loop',
      severity: 'high',
      confidence: 1,
      what: '',
      change: 'Use a join',
      selection: { stage: 1, stageAttempt: 0 },
      savingMs: { low: 700, high: 1300 },
      saving: '0.7–1.3 s',
    },
  ];
  expect(verdictOf(made).place?.text).toBe('stage 1');
  expect(verdictMarkdown(made)).toBe(
    '**small** (app): 8.0 s: 12.5% in stage 1, of which 100% in score.\n\n- **Stage 1: a \\*slow\\* loop** (could save about 0.7–1.3 s). Use a join\n',
  );
});

it('is about the longest stage of a finding about a query, and not about the driver before it', () => {
  const made = model();
  made.report.wallTime = [
    { name: 'Driver before the first stage', ns: 6e9, begin: 0, selection: { executor: 'driver' } },
    { name: 'Stage 1.0 x', ns: 2e9, begin: 6000, selection: { stage: 1, stageAttempt: 0 } },
  ];
  expect(verdictOf(made).place?.text).toBe('the driver');
  made.report.findings = [
    {
      id: 'x',
      title: 'A join',
      severity: 'high',
      confidence: 1,
      what: '',
      selection: { sql: 0 },
      stages: [0, 1],
      savingMs: { low: 1000, high: 1000 },
      saving: '1.0 s',
    },
  ];
  expect(verdictOf(made).place?.text).toBe('stage 1');
});
