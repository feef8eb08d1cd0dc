// SPDX-License-Identifier: Apache-2.0
import { describe, expect, it } from 'vitest';
import { languageOf, livesOf, measuresOf, median, nodeCells, typesOf, whatChanged, type JobResult, type Run } from './runs.ts';

describe('processes', () => {
  const rows = [
    { timeStamp: 1000, monitor: 'n1', pid: 2, ppid: 1, type: 'jvm', cpuPercent: 100, rssBytes: 500, readBytes: 0, writeBytes: 10 },
    { timeStamp: 1000, monitor: 'n1', pid: 3, ppid: 2, type: 'python_worker', cpuPercent: 50, rssBytes: 100 },
    { timeStamp: 2000, monitor: 'n1', pid: 2, ppid: 1, type: 'jvm', cpuPercent: 300, rssBytes: 700, readBytes: 5, writeBytes: 30 },
    { timeStamp: 2000, monitor: 'n2', pid: 2, ppid: 9, type: 'jvm', cpuPercent: 20, rssBytes: 50 },
  ];
  it('are a tree of lives', () => {
    expect(livesOf(rows).map(({ monitor, pid, depth, start, end }) => [monitor, pid, depth, start, end])).toEqual([
      ['n1', 2, 0, 1000, 2000],
      ['n1', 3, 1, 1000, 1000],
      ['n2', 2, 0, 2000, 2000],
    ]);
  });
  it('with a reused PID are two', () => {
    expect(livesOf([...rows, { timeStamp: 3000, monitor: 'n1', pid: 3, ppid: 77, type: 'other' }])).toHaveLength(4);
  });
  it('run Java, Python or neither', () => {
    const language = (type: string, command = '') => languageOf({ ...livesOf(rows)[0]!, type, command });
    expect(['jvm_driver', 'yarn', 'python_worker', 'python_driver'].map((type) => language(type))).toEqual([
      'Java',
      'Java',
      'Python',
      'Python',
    ]);
    expect(['agent', 'other'].map((type) => language(type, 'java -jar x'))).toEqual([undefined, undefined]);
    expect([language('', '/usr/bin/java -Xmx1g'), language('', 'python3 job.py'), language('', 'bash')]).toEqual([
      'Java',
      'Python',
      undefined,
    ]);
  });
  it('have maximum and mean by type', () => {
    const [jvm] = typesOf(livesOf(rows));
    expect(jvm).toEqual({
      type: 'jvm',
      processes: 2,
      most: { cpuPercent: 300, rssBytes: 700 },
      mean: { cpuPercent: 140, rssBytes: 1250 / 3 },
    });
  });
  it('add up to what nodes used', () => {
    expect(nodeCells(livesOf(rows), 1000, 3000, 2)).toEqual([
      { node: 'n1', cpu: [150, 300], memory: [600, 700], disk: [0, 25] },
      { node: 'n2', cpu: [0, 20], memory: [0, 50], disk: [0, 0] },
    ]);
  });
});

describe('results', () => {
  const job: JobResult = {
    name: 'sort',
    size: 10,
    profiled: false,
    parameters: { parts: '8' },
    repeats: [
      {
        repeat: 1,
        exitCode: 0,
        startTime: 0,
        seconds: 2,
        cpuSeconds: 3,
        maxRssBytes: 5,
        maxima: { jvm: { processes: 1, maxCpuPercent: 90, maxRssBytes: 4 } },
      },
      { repeat: 2, exitCode: 1, startTime: 0, seconds: 9, cpuSeconds: 9, maxRssBytes: 9, maxima: {} },
    ],
  };
  it('leave failed repeats out', () => {
    expect(Object.fromEntries(measuresOf(job))).toEqual({
      seconds: [2],
      cpuSeconds: [3],
      maxRssBytes: [5],
      'maxRssBytes.jvm': [4],
      'maxCpuPercent.jvm': [90],
    });
    expect(median([3, 1, 2, 10])).toBe(2.5);
  });
  it('name what changed', () => {
    const run = (version: string, parts: string): Run => ({
      id: 1,
      startTime: 0,
      endTime: null,
      suiteName: 's',
      version,
      user: '',
      overallStatus: '',
      results: { jobs: [{ ...job, parameters: { parts } }] },
    });
    expect(whatChanged(run('1', '8'), run('2', '16'), 'sort')).toEqual(['version 1 → 2', 'parts 8 → 16']);
  });
});
