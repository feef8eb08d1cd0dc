// SPDX-License-Identifier: Apache-2.0
import { expect, it } from 'vitest';
import type { Finding } from '../../data/contract.ts';
import { diffLines, differencesOf, predictionOf } from './change.ts';

const finding: Finding = {
  id: 'x',
  title: '',
  what: '',
  severity: 'high',
  confidence: 'high',
  savingMs: { low: 1000, high: 4000 },
  saving: '1.0–4.0 s',
};

it('has settings before and after, those of the code apart, and the pattern of the code', () => {
  const differences = differencesOf({
    ...finding,
    settings: [
      { name: 'a', before: '1', inCode: false, after: '2' },
      { name: 'b', before: null, inCode: true, after: 'half as much again' },
      { name: 'c', before: '4', inCode: true, after: 'fewer, such as 1' },
    ],
    example: { before: 'x', after: 'y\nz' },
  });
  expect(differences.map(({ title }) => title)).toEqual(['Settings', 'Settings in the program’s code', 'Code, for example']);
  expect(differences.map(diffLines)).toEqual([
    ['- a=1', '+ a=2'],
    ['- # b is not set', '- c=4', '+ b  # half as much again', '+ c=1  # fewer, such as 1'],
    ['- x', '+ y', '+ z'],
  ]);
});

it('predicts a range of durations, and none where the saving is not known or not the point', () => {
  expect(predictionOf(finding, 3000)).toEqual({ recorded: 3000, low: 0, high: 2000 });
  expect(predictionOf({ ...finding, savingMs: { low: 0, high: 0 } }, 3000)).toBeNull();
  expect(predictionOf({ ...finding, savingMs: 0, isFailure: true }, 3000)).toBeNull();
  expect(predictionOf({ ...finding, isFailure: true }, 3000)).toBeNull();
});
