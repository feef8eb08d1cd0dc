// SPDX-License-Identifier: Apache-2.0
import { expect, it } from 'vitest';
import { demoReport } from '../../tests/make_data.ts';
import { Kind } from '../data/contract.ts';
import { Model } from '../data/model.ts';
import { pythonFunctions, pythonWorkers, workerCurve } from './python_workers.ts';

const report = demoReport();
const process = report.processes.findIndex(({ role }) => role === 'Python worker');
report.series = [
  {
    name: 'process.rss_bytes',
    unit: 'bytes',
    label: 'Resident memory',
    executor: report.processes[process]!.executor,
    process,
    time: Float64Array.of(1000, 2000, 3000),
    value: Float64Array.of(10, 50, 40),
  },
];
const model = new Model(report);

it('know their start and their growth', () => {
  expect(pythonWorkers(model)).toMatchObject([
    { pid: report.processes[process]!.pid, first: 1000, last: 3000, firstBytes: 10, peakBytes: 50 },
  ]);
  expect(workerCurve(model, 8)!.lines).toHaveLength(1);
  expect(workerCurve(new Model({ ...report, series: [] }), 8)).toBeNull();
});

it('spend CPU time in functions of Python alone, the largest first', () => {
  const functions = pythonFunctions(model);
  expect(functions.length).toBeGreaterThan(0);
  expect(functions.every(({ label }) => model.functions.kind[label] === Kind.Python)).toBe(true);
  expect(functions.map(({ self }) => self)).toEqual(functions.map(({ self }) => self).sort((a, b) => b - a));
});
