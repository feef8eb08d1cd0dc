// SPDX-License-Identifier: Apache-2.0
import { describe, expect, it } from 'vitest';
import { questionOf, rank } from './words.ts';

describe('a question', () => {
  it('has its telling words only', () => {
    expect(questionOf('Why is stage 4 so slow?')).toEqual({ words: ['stage', '4'], asksWhy: true });
    expect(questionOf('  slowest  TASK ')).toEqual({ words: ['slowest', 'task'], asksWhy: false });
    expect(questionOf('why')).toEqual({ words: ['why'], asksWhy: true });
    expect(questionOf('')).toEqual({ words: [], asksWhy: false });
  });
});

describe('the rank of a text', () => {
  it('is highest for whole words, then for starts of words', () => {
    const ranks = ['stage 4', 'stages 40', 'codegenstage24'].map((text) => rank(text, ['stage', '4']));
    expect(ranks).toEqual([3, 2, 1]);
  });

  it('is 0 where a word is missing', () => {
    expect(rank('stage 4', ['stage', '5'])).toBe(0);
  });

  it('finds the best of several places', () => {
    expect(rank('myjoin.join', ['join'])).toBe(3);
    expect(rank('o.a.s.sql.execution.hashaggregateexec', ['hashagg'])).toBe(2);
    expect(rank('spark.sql.shuffle.partitions', ['spark.sql.shuffle.partitions'])).toBe(3);
  });
});
