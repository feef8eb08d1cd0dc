// SPDX-License-Identifier: Apache-2.0
import type { VNode } from 'preact';
import { expect, it } from 'vitest';
import { LongName } from './long_name.tsx';

/** The part that stays where the name does not fit. */
function tail(text: string): string {
  const { children } = LongName({ text }).props as { children: string | VNode<{ children: string }>[] };
  return typeof children === 'string' ? '' : children[1]!.props.children;
}

it('keeps whole words at the end of a long name', () => {
  expect(tail('sort → merge join, collect at nds_power.py:191')).toBe('nds_power.py:191');
  expect(tail('sort → Python _sum_cpu_func, collect at <stdin>:1')).toBe('<stdin>:1');
});

it('never cuts a file and its line', () => {
  expect(tail('map at BinaryClassificationMetrics.scala:48')).toBe('BinaryClassificationMetrics.scala:48');
  expect(tail('sort → merge join, collect at /home/user/skewed_join.py:40 ×17')).toBe('skewed_join.py:40 ×17');
});

it('cuts a word that is too long, and no short name', () => {
  expect(tail('parquet spark_catalog.default.catalog_returns')).toBe('atalog_returns');
  expect(tail('count at a.py:5')).toBe('');
});

it('puts a name of several lines in one', () => {
  expect(tail('scan → project, id = b17a01b6\nrunId = 4c943bb8\nbatch = 2')).toBe('batch = 2');
});
