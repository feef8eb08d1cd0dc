// SPDX-License-Identifier: Apache-2.0
import { describe, expect, it } from 'vitest';
import { Model } from '../data/model.ts';
import { demoReport } from '../../tests/make_data.ts';
import { boundariesOf, curvesByProcess, groupMetrics, normalized } from './metrics.ts';

const model = new Model(demoReport());

describe('metric graphs', () => {
  it('keep processes of one executor apart', () => {
    const rss = curvesByProcess(model, null).find((curve) => curve.name === 'process.rss_bytes')!;
    expect(rss.lines).toHaveLength(5);
    expect(rss.lines.map((line) => line.label)).toContain('executor 1 · 4150 Python worker');
  });

  it('know begins and ends on their axis', () => {
    const jobs = boundariesOf(model, 'jobs');
    expect(jobs).toHaveLength(2 * model.report.jobs.length);
    expect([...jobs]).toEqual([...jobs].sort((a, b) => a - b));
    expect(boundariesOf(model, 'tasks')).toHaveLength(2 * model.report.tasks.taskId.length);
  });

  it('fit on one axis as shares of their largest values', () => {
    const one = normalized(curvesByProcess(model, null))!;
    const values = one.lines.flatMap((line) => line.value.map(Number));
    expect(Math.max(...values)).toBeCloseTo(1);
    expect(one.unit).toBe('share');
    expect(normalized([])).toBeNull();
  });

  it('are grouped by what they measure, the profiler last', () => {
    const names = ['agent.cpu_ns', 'process.cpu_ns', 'jvm.heap_used_bytes', 'jvm.gc_time_ns', 'process.read_bytes', 'gpu.utilization'];
    const groups = groupMetrics(names.map((name) => ({ name, label: name, unit: 'count', lines: [], aligned: [[]] })));
    expect(groups.map(({ label, curves }) => [label, curves.map(({ name }) => name)])).toEqual([
      ['Tasks and CPU', ['process.cpu_ns']],
      ['Memory', ['jvm.heap_used_bytes']],
      ['Garbage collection and JVM', ['jvm.gc_time_ns']],
      ['Disk and network', ['process.read_bytes']],
      ['Others', ['gpu.utilization']],
      ['Profiler', ['agent.cpu_ns']],
    ]);
  });
});
