// SPDX-License-Identifier: Apache-2.0
import { describe, expect, it } from 'vitest';
import { demoReport } from '../../tests/make_data.ts';
import type { Series, Stage } from '../data/contract.ts';
import { Model } from '../data/model.ts';
import { onTopOfEachOther } from './heap.ts';
import { hasMemory, memoryCurves, memoryLosses, spillCurve } from './memory.ts';

const gauge = (name: string, process: number, time: number[], value: number[]): Series => ({
  name,
  unit: 'bytes',
  label: name,
  executor: 1,
  process,
  time: Float64Array.from(time),
  value: Float64Array.from(value),
});

describe('memory', () => {
  it('has parts that add up to what the processes hold, and limits apart', () => {
    const report = demoReport();
    report.series = [
      gauge('jvm.heap_used_bytes', 1, [0, 1000], [300, 400]),
      gauge('process.rss_bytes', 1, [0, 1000], [500, 500]),
      gauge('process.pss_bytes', 3, [500, 1000], [70, 80]),
      gauge('process.rss_bytes', 3, [0, 1000], [900, 900]),
      gauge('jvm.heap_max_bytes', 1, [0, 1000], [512, 512]),
    ];
    const [curve] = memoryCurves(new Model(report), null);
    expect(curve!.lines.map(({ label, value }) => [label, value])).toEqual([
      ['heap limit, for the lowest area', [512, 512, 512]],
      ['Python, proportional (PSS)', [0, 70, 80]],
      ['JVM beyond the used heap', [200, 200, 100]],
      ['heap used', [300, 300, 400]],
    ]);
    const [, limit, whole] = onTopOfEachOther(curve!);
    expect(limit).toEqual([512, 512, 512]);
    expect(whole).toEqual([500, 570, 580]);
  });

  it('divides what a JVM holds beyond its heap, without counting memory twice', () => {
    const report = demoReport();
    report.series = [
      gauge('jvm.heap_used_bytes', 1, [0, 1000], [300, 300]),
      gauge('process.rss_bytes', 1, [0, 1000], [900, 900]),
      gauge('jvm.metaspace_used_bytes', 1, [0, 1000], [50, 50]),
      gauge('spark.off_heap_execution_bytes', 1, [0], [100]),
      gauge('spark.off_heap_storage_bytes', 1, [1000], [10]),
      gauge('jvm.native_used_bytes', -1, [0, 1000], [40, 250]),
    ];
    const [curve] = memoryCurves(new Model(report), null);
    expect(curve!.lines.map(({ label, value }) => [label, value])).toEqual([
      ['JVM, untracked', [450, 300]],
      ['metaspace', [50, 50]],
      ['off-heap memory of Spark', [100, 110]],
      ['other native memory in use', [0, 140]],
      ['heap used', [300, 300]],
    ]);
  });

  it('divides what Python holds, where its allocations were sampled', () => {
    const report = demoReport();
    report.series = [
      gauge('process.rss_bytes', 3, [0, 1000, 2000], [900, 900, 900]),
      gauge('process.arrow_bytes', 3, [1000], [200]),
      gauge('process.arrow_bytes', 4, [0], [50]),
      gauge('process.rss_bytes', 4, [0, 500], [60, 60]),
      gauge('python.live_bytes', -1, [0], [300]),
    ];
    const [curve] = memoryCurves(new Model(report), null);
    const values = Object.fromEntries(curve!.lines.map(({ label, value }) => [label, value]));
    expect(values['Python, objects and arrays']).toEqual([300, 300, 300, 300]);
    expect(values['Python, Arrow']!.at(-1)).toBe(200);
    expect(values['Python, other native']!.at(-1)).toBe(400);
  });

  it('has the heap as it was last read until the last reading of its process', () => {
    const report = demoReport();
    report.series = [
      gauge('jvm.heap_used_bytes', 1, [0, 1000], [300, 400]),
      gauge('jvm.heap_max_bytes', 1, [0], [500]),
      gauge('process.rss_bytes', 1, [0, 1000, 2000], [600, 700, 700]),
    ];
    const [curve] = memoryCurves(new Model(report), null);
    const values = Object.fromEntries(curve!.lines.map(({ label, value }) => [label, value]));
    expect(values['heap used']).toEqual([300, 400, 400]);
    expect(values['JVM beyond the used heap']).toEqual([300, 300, 300]);
    expect(values['heap limit, for the lowest area']).toEqual([500, 500, 500]);
  });

  it('comes first where most is used, not where the limit is the highest', () => {
    const report = demoReport();
    report.series = [
      gauge('jvm.heap_used_bytes', 1, [0, 1000], [300, 400]),
      { ...gauge('jvm.heap_used_bytes', 2, [0, 1000], [30, 40]), executor: 2 },
      { ...gauge('jvm.heap_max_bytes', 2, [0, 1000], [9999, 9999]), executor: 2 },
    ];
    expect(memoryCurves(new Model(report), null).map(({ name }) => name)).toEqual(['memory.1', 'memory.2']);
  });

  it('has a curve where there is no executor', () => {
    const report = {
      ...demoReport(),
      executors: [],
      series: [{ ...gauge('jvm.heap_used_bytes', -1, [0, 1000], [300, 400]), executor: -1 }],
    };
    expect(memoryCurves(new Model(report), null).map(({ label }) => label)).toEqual(['all processes']);
  });

  it('is not there without series, peaks and spill', () => {
    const report = demoReport();
    const { diskSpilledBytes: _spill, ...tasks } = report.tasks;
    expect(hasMemory({ ...report, series: [], tasks: tasks as typeof report.tasks })).toBe(false);
    expect(memoryCurves(new Model({ ...report, series: [] }), null)).toEqual([]);
  });

  it('counts spill when tasks end', () => {
    const model = new Model(demoReport());
    const { diskSpilledBytes } = model.report.tasks;
    const sum = Array.from(diskSpilledBytes!).reduce((a, b) => a + b, 0);
    expect(spillCurve(model, null)!.lines.reduce((total, { value }) => total + value.at(-1)!, 0)).toBe(sum);
  });

  it('ran out where an executor was lost for it', () => {
    const report = demoReport();
    report.executors[1] = {
      ...report.executors[1]!,
      removeTime: report.application.startTime + 9000,
      removeReason: 'Container killed by YARN for exceeding memory limits',
    };
    report.executors[2] = { ...report.executors[2]!, removeTime: report.application.startTime + 9500, removeReason: 'worker lost' };
    report.logs = null;
    expect(memoryLosses(new Model(report))).toMatchObject([{ time: 9000, executor: 1 }]);
  });

  it('ran out where a stage failed for it, not where a file is called so', () => {
    const report = demoReport();
    const end = report.application.startTime + 7000;
    const [first, second] = report.stages as [Stage, Stage];
    report.logs = null;
    report.stages = [
      { ...first, completionTime: end, failureReason: 'Job aborted: Lost task 1.0 (host): java.lang.OutOfMemoryError: heap\n at x' },
      { ...second, completionTime: end, failureReason: 'Job aborted: fetch failed\n at collect(oom.py:3)' },
    ];
    expect(memoryLosses(new Model(report))).toMatchObject([{ text: 'java.lang.OutOfMemoryError: heap' }]);
  });
});
