// SPDX-License-Identifier: Apache-2.0
import { expect, it } from 'vitest';
import { smallModel } from '../../tests/small_report.ts';
import { escaped, findingMarkdown, verdictMarkdown } from './markdown.ts';

it('adds no Markdown and no HTML', () => {
  expect(escaped('a|b\n<img src=x> [x](y) `c` *d* ~e~ &lt; # f')).toBe(
    'a\\|b\ufffd\\<img src=x\\> \\[x\\](y) \\`c\\` \\*d\\* \\~e\\~ \\&lt; \\#&#8203; f',
  );
  expect(escaped('Stage 3: GC takes 66.5% of task time (12:30:01).')).toBe('Stage 3: GC takes 66.5% of task time (12:30:01).');
});

it.each([
  'http://evil.example/a?b',
  '//evil.example',
  'www.evil.example',
  'evil.com',
  'mail@evil.example',
  'javascript:x',
  '@octocat',
  'GH-1',
  '$x$',
])('makes %s code, which no site links', (word) => expect(escaped(`see (${word}), then`)).toBe(`see (\`${word}\`), then`));

it('ends code at the end of a cell, and at no backtick of the name', () => {
  expect(escaped('a.b|c.d')).toBe('`a.b`\\|`c.d`');
  expect(escaped('x`http://a``b')).toBe('```x`http://a``b```');
  expect(escaped('`@all`')).toBe('`` `@all` ``');
});

it('is the verdict and the findings as Markdown to paste', () => {
  const made = smallModel([]);
  made.report.summary = { verdict: '8.0 s, 12.5% of it in stage 1.0. Stage 1: a *slow* loop; could save 0.7–1.3 s.' };
  made.report.findings = [
    {
      id: 'x',
      title: 'Stage 1: a *slow* loop',
      severity: 'high',
      confidence: 'high',
      what: '',
      change: 'Use a join',
      evidence: { stage: 1, stageAttempt: 0 },
      savingMs: { low: 700, high: 1300 },
      saving: '0.7–1.3 s',
    },
  ];
  expect(verdictMarkdown(made)).toBe(
    '**small** (app): 8.0 s, 12.5% of it in stage 1.0. Stage 1: a \\*slow\\* loop; could save 0.7–1.3 s.\n\n' +
      '- **Stage 1: a \\*slow\\* loop** (could save about 0.7–1.3 s). Use a join\n',
  );
});

it('is a finding as Markdown for a pull request, whose code ends at no backtick', () => {
  const made = smallModel([]);
  const text = findingMarkdown(made, {
    id: 'x',
    title: 'Stage 1: a *slow* loop',
    severity: 'high',
    confidence: 'high',
    what: 'A loop is slow',
    measured: '3.0 s of 8.0 s',
    change: 'Use a join',
    frames: ['work (job.py:4)'],
    settings: [{ name: 'a', before: '```', inCode: false, after: '2' }],
    ruledOut: ['Spill to disk: none'],
    savingMs: { low: 700, high: 1300 },
    saving: '0.7–1.3 s',
  });
  expect(text).toBe(
    [
      '### Stage 1: a \\*slow\\* loop',
      '',
      'A loop is slow. 3.0 s of 8.0 s.',
      '',
      'Code: `work (job.py:4)`',
      '',
      '**Change:** Use a join.',
      '',
      'Settings:',
      '',
      '````diff',
      '- a=```',
      '+ a=2',
      '````',
      '',
      '**Prediction:** 6.7 s to 7.3 s instead of 8.0 s; could save 0.7–1.3 s.',
      '',
      'Ruled out:',
      '- Spill to disk: none',
      '',
      'Measured by sparkprof in small (app).',
      '',
    ].join('\n'),
  );
});
