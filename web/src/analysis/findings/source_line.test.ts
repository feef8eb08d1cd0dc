// SPDX-License-Identifier: Apache-2.0
import { expect, it } from 'vitest';
import { excerptOf } from './source_line.ts';

const sources = [{ path: 'jobs/job.py', text: 'a\nb\nc\nd\ne\nf' }];

it('finds the line of a function and of a call, with those around it', () => {
  expect(excerptOf({ sources }, 'work (job.py:4)')).toEqual({ path: 'jobs/job.py', first: 2, lines: ['b', 'c', 'd', 'e', 'f'], line: 4 });
  expect(excerptOf({ sources }, 'collect at job.py:1')).toEqual({ path: 'jobs/job.py', first: 1, lines: ['a', 'b', 'c'], line: 1 });
});

it('begins at the left', () => {
  const indented = [{ path: 'job.py', text: 'def f():\n    if x:\n\n        y()' }];
  expect(excerptOf({ sources: indented }, 'f (job.py:4)')!.lines).toEqual(['if x:', '', '    y()']);
});

it('finds nothing in another file, behind the end, and without sources', () => {
  expect(excerptOf({ sources }, 'work (other_job.py:4)')).toBeNull();
  expect(excerptOf({ sources }, 'work (job.py:40)')).toBeNull();
  expect(excerptOf({ sources }, 'writes shop.sales')).toBeNull();
  expect(excerptOf({}, 'work (job.py:4)')).toBeNull();
});
