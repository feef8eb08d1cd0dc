// SPDX-License-Identifier: Apache-2.0
import { expect, it } from 'vitest';
import { demoReport } from '../../../tests/make_data.ts';
import { emptyExecutor } from '../../data/decode.ts';
import { Model } from '../../data/model.ts';
import type { Series } from '../../data/contract.ts';
import { align, constantOf, curvesOf, type CurveData, type Line } from './curves.ts';
import { coverageLine } from '../coverage.ts';

const series = (executor: number, process: number, time: number[], value: number[]): Series => ({
  name: 'rss',
  unit: 'bytes',
  label: 'RSS',
  executor,
  process,
  time: Float64Array.from(time),
  value: Float64Array.from(value),
});

it('curves come as people look at them', () => {
  expect(curvesOf(new Model(demoReport()), null).map(({ name }) => name)).toEqual([
    'process.cpu_ns',
    'jvm.heap_used_bytes',
    'jvm.gc_time_ns',
    'process.rss_bytes',
  ]);
});
it('Python processes of an executor add up to one line, the JVM is another', () => {
  const report = demoReport();
  report.processes.push({ pid: 9, role: 'Python worker', command: '', executor: 1 });
  report.series = [
    series(1, 1, [0, 1000], [5, 6]),
    series(1, 3, [0, 1000, 2000], [1, 2, 3]),
    series(1, 5, [1000, 1500, 2000], [10, 20, 30]),
  ];
  const [curve] = curvesOf(new Model(report), null);
  expect(curve!.lines.map(({ label, value }) => [label, value])).toEqual([
    ['executor 1', [5, 6]],
    ['executor 1 Python', [1, 12, 22, 33]],
  ]);
  expect(curve!.aligned[0]).toEqual([0, 1000, 1500, 2000]);
});
it('other processes of an executor do not blur its curve, and a Python driver is Python', () => {
  const report = demoReport();
  report.processes.push(
    { pid: 9, role: 'agent', command: 'sparkprof-agent', executor: 1 },
    { pid: 10, role: 'other', command: '/usr/bin/python3.11 job.py', executor: 0 },
  );
  report.series = [series(1, 1, [0], [5]), series(1, 5, [0], [100]), series(0, 6, [0], [7])];
  expect(curvesOf(new Model(report), null)[0]!.lines.map(({ label, value }) => [label, value])).toEqual([
    ['driver Python', [7]],
    ['executor 1', [5]],
  ]);
});
it('many executors become one line', () => {
  const report = demoReport();
  report.executors = Array.from({ length: 12 }, (_, i) => ({ ...emptyExecutor, id: String(i) }));
  report.series = report.executors.map((_, i) => series(i, -1, [0, 1000], [1, 2]));
  expect(curvesOf(new Model(report), null)[0]!.lines.map(({ value }) => value)).toEqual([[12, 24]]);
});
it('coverage never claims more than there is', () => {
  const report = demoReport();
  report.summary.samples = { cpu: { count: 10_000, onTaskThreads: 10_000, joined: 9_999, lost: 0 } };
  expect(coverageLine(report)!.text).toBe('99.9% of task samples attributed');
});

it('are constant if one line never changes', () => {
  const line = (value: number[]): Line => ({ label: '', executor: 0, python: false, time: value.map((_, i) => i), value });
  const curve = (...lines: Line[]): CurveData => ({ name: '', label: '', unit: 'count', lines, aligned: align(lines) });
  expect(constantOf(curve(line([2, 2])))).toBe(2);
  expect(constantOf(curve(line([0])))).toBe(0);
  expect(constantOf(curve(line([2, 3])))).toBeNull();
  expect(constantOf(curve(line([2]), line([2])))).toBeNull();
});
