// SPDX-License-Identifier: Apache-2.0
import { expect, it } from 'vitest';
import { releasesOf } from './releases.ts';

it('names the runs from which on the job or Spark has another version', () => {
  const runs = [
    { version: '1.4', sparkVersion: '3.5.7' },
    { version: '1.4', sparkVersion: '3.5.7' },
    { version: '1.5', sparkVersion: '3.5.7' },
    { version: '1.6', sparkVersion: '4.1.1' },
  ];
  expect(releasesOf(runs)).toEqual([
    { at: 2, text: 'version 1.4 → 1.5', now: '1.5' },
    { at: 3, text: 'version 1.5 → 1.6, Spark 3.5.7 → 4.1.1', now: '1.6, Spark 4.1.1' },
  ]);
});

it('passes over runs whose version is unknown', () => {
  expect(releasesOf([{ version: '1' }, {}, { version: '' }, { version: '1' }, { version: '2' }])).toEqual([
    { at: 4, text: 'version 1 → 2', now: '2' },
  ]);
  expect(releasesOf([{}, { version: '1' }])).toEqual([]);
});
