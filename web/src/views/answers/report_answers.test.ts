// SPDX-License-Identifier: Apache-2.0
import { describe, expect, it } from 'vitest';
import { demoReport } from '../../../tests/make_data.ts';
import { encodeBytes } from '../../../tests/encode.ts';
import { Origin } from '../../data/contract.ts';
import { decodeBytes } from '../../data/decode.ts';
import { Model } from '../../data/model.ts';
import { Store } from '../../state/store.ts';
import { grouped } from './answer.ts';
import { reportAnswers } from './report_answers.ts';

const store = new Store(new Model(decodeBytes(encodeBytes(demoReport()).buffer as ArrayBuffer)));
const find = reportAnswers(store);
const groupsOf = (text: string) => grouped(find(text));
const best = (text: string) => groupsOf(text)[0]![1][0]!;

describe('the best answer of a report', () => {
  it('to "slowest task" selects it in its stage', () => {
    const { title, view } = best('slowest task');
    const { tasks, stages } = store.model.report;
    const lasting = Array.from(tasks.taskId, (_id, task) => tasks.end[task]! - tasks.begin[task]!);
    const slowest = lasting.indexOf(Math.max(...lasting));
    expect(title).toBe(`Slowest task: ${tasks.taskId[slowest]}`);
    expect(view).toMatchObject({
      tab: 'stages',
      selection: { stage: stages[tasks.stage[slowest]!]!.stageId, task: tasks.taskId[slowest] },
    });
  });

  it('to "why is the slowest task slow" compares it with the median', () => {
    expect(best('why is the slowest task slow?')).toMatchObject({ title: 'Why the slowest task is slow', act: expect.any(Function) });
  });

  it('to "why did it fail" is what failed, or that nothing did', () => {
    const application = { ...demoReport().application, outcome: 'finished' };
    const ended = demoReport().stages.map((stage) => ({ ...stage, status: 'COMPLETE' }));
    const whole = { ...demoReport(), application, stages: ended, jobs: demoReport().jobs.map((job) => ({ ...job, status: 'SUCCEEDED' })) };
    const answer = (report: typeof whole) => grouped(reportAnswers(new Store(new Model(report)))('why did it fail'))[0]![1][0]!.title;
    expect(answer(whole)).toBe('Nothing failed');
    expect(answer({ ...whole, stages: [{ ...ended[0]!, status: 'FAILED' }, ...ended.slice(1)] })).toMatch(/^Failed: stage/);
  });

  it('to "why stage 3" is the finding about it, and to "stage 4" the stage', () => {
    const { title, view } = best('why stage 3');
    expect(store.model.report.findings.map((finding) => finding.title)).toContain(title);
    expect(title).toMatch(/^Stage 3\b/);
    expect(view).toMatchObject({ tab: 'overview' });
    expect(best('stage 4').view).toMatchObject({ tab: 'stages', tasksOf: '4.0', selection: { stage: 4 } });
  });

  it('to a setting is its row, with its value', () => {
    const setting = store.model.report.environment.find(({ name }) => name === 'spark.sql.shuffle.partitions')!;
    expect(best('spark.sql.shuffle.partitions')).toMatchObject({
      group: 'Settings',
      note: setting.value,
      view: { tab: 'environment', selection: { search: 'spark\\.sql\\.shuffle\\.partitions' } },
    });
    expect(best('shuffle.part').group).toBe('Settings');
  });

  it('to a setting that is not set tells so', () => {
    expect(groupsOf('spark.sql.files.maxPartitionBytes').flatMap(([, own]) => own)).toContainEqual(
      expect.objectContaining({ title: 'spark.sql.files.maxPartitionBytes', note: 'not set: Spark’s default applies' }),
    );
  });

  it('to the text of a query is the query', () => {
    const query = store.model.report.sql.at(-1)!;
    const { group, view } = best(query.description);
    expect(group).toBe('Queries');
    expect(view).toMatchObject({ tab: 'sql', selection: { sql: query.id } });
  });

  it('to a function shows its callers and callees, in an event with samples of it', () => {
    const { functions } = store.model;
    const name = functions.name[functions.origin.indexOf(Origin.User)]!;
    const { group, view } = best(name);
    expect(group).toBe('Functions');
    expect(view).toMatchObject({ tab: 'flame', sandwich: name });
    expect(store.model.report.events.map(({ name }) => name)).toContain(view!.selection!.event);
  });

  it('to a number is what has this number, tasks included', () => {
    expect(best('task 12')).toMatchObject({ group: 'Tasks', title: 'Task 12', view: { selection: { task: 12 } } });
    expect(groupsOf('3').map(([name]) => name)).toEqual(expect.arrayContaining(['Stages', 'Jobs', 'Tasks']));
  });

  it('to an executor selects it', () => {
    expect(best('executor 2')).toMatchObject({ group: 'Executors', view: { tab: 'executors', selection: { executor: '2' } } });
  });

  it('to words of no thing is a search for them', () => {
    expect(groupsOf('zzqq')).toEqual([
      ['Search', [expect.objectContaining({ view: expect.objectContaining({ selection: { search: 'zzqq' } }) })]],
    ]);
  });
});

describe('an empty bar', () => {
  it('suggests answers and views', () => {
    expect(groupsOf('').map(([name]) => name)).toEqual(['Answers', 'Views']);
  });
});
