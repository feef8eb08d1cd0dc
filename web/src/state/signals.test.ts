// SPDX-License-Identifier: Apache-2.0
import { options } from 'preact';
import { expect, it } from 'vitest';
import { batch, computed, effect, signal } from './signals.ts';

it('computes only what is read, and again only when what it read has changed', () => {
  const [a, b] = [signal(1), signal(10)];
  let times = 0;
  const useA = signal(true);
  const sum = computed(() => {
    times++;
    return useA.value ? a.value : b.value;
  });
  expect(times).toBe(0);
  expect([sum.value, sum.value, times]).toEqual([1, 1, 1]);
  b.value = 20;
  expect([sum.value, times]).toEqual([1, 1]);
  useA.value = false;
  expect([sum.value, times]).toEqual([20, 2]);
  a.value = 2;
  expect([sum.value, times]).toEqual([20, 2]);
});

it('does not pass on a computed value that stayed the same', () => {
  const number = signal(1);
  const isOdd = computed(() => number.value % 2 === 1);
  let times = 0;
  const text = computed(() => {
    times++;
    return isOdd.value ? 'odd' : 'even';
  });
  const seen: string[] = [];
  const stop = effect(() => {
    seen.push(text.value);
  });
  number.value = 3;
  expect([times, seen]).toEqual([1, ['odd']]);
  number.value = 4;
  expect([times, seen]).toEqual([2, ['odd', 'even']]);
  stop();
  number.value = 5;
  expect(seen).toEqual(['odd', 'even']);
});

it('never shows one change of a batch without the others', () => {
  const [a, b] = [signal(1), signal(1)];
  const seen: number[] = [];
  effect(() => {
    seen.push(a.value - b.value);
  });
  batch(() => {
    a.value = 2;
    b.value = 2;
  });
  expect(seen).toEqual([0, 0]);
  b.value = 3;
  expect(seen).toEqual([0, 0, -1]);
});

it('lets an effect change what another follows', () => {
  const [a, b] = [signal(0), signal(0)];
  const seen: number[] = [];
  effect(() => {
    b.value = a.value * 2;
  });
  effect(() => {
    seen.push(b.value);
  });
  a.value = 4;
  expect([b.value, seen]).toEqual([8, [0, 8]]);
});

it('gives the error of a computed value to whoever reads it, and recovers', () => {
  const bad = signal(true);
  const value = computed(() => {
    if (bad.value) throw new Error('no value');
    return 1;
  });
  expect(() => value.value).toThrow('no value');
  bad.value = false;
  expect(value.value).toBe(1);
});

it('does not follow what is only peeked at', () => {
  const [a, b] = [signal(1), signal(1)];
  const sum = computed(() => a.value + b.peek());
  expect(sum.value).toBe(2);
  b.value = 5;
  expect(sum.value).toBe(2);
  a.value = 2;
  expect(sum.value).toBe(7);
});

it('uses the names that this version of Preact has', () => {
  expect(Object.keys(options)).toEqual(expect.arrayContaining(['__r', 'diffed', '__e', 'unmount']));
  expect(String((options as unknown as Record<string, unknown>).__b)).toContain('null');
});
