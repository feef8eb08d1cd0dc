// SPDX-License-Identifier: Apache-2.0
import { expect, it } from 'vitest';
import { smallModel } from '../../tests/small_report.ts';
import type { Finding, Selection } from '../data/contract.ts';
import { findingsDuring } from './finding_times.ts';

const finding = (id: string, evidence?: Selection): Finding => ({
  id,
  title: id,
  severity: 'high',
  confidence: 'high',
  what: '',
  savingMs: { low: 0, high: 0 },
  saving: '',
  ...(evidence && { evidence }),
});

it('keeps what happened in the selected time, and what has no time', () => {
  const model = smallModel([]);
  model.report.stages[1]!.submissionTime = 1000 + 5000;
  const findings = [
    finding('first', { stage: 0, task: 10 }),
    finding('second', { stage: 1 }),
    finding('driver', { executor: 'driver', from: 4000, to: 4500 }),
    finding('settings'),
  ];
  const during = (selection: Selection) => findingsDuring(model, findings, selection).map(({ id }) => id);
  expect(during({})).toEqual(['first', 'second', 'driver', 'settings']);
  expect(during({ from: 0, to: 1000 })).toEqual(['first', 'settings']);
  expect(during({ from: 4200, to: 6000 })).toEqual(['second', 'driver', 'settings']);
});
