// SPDX-License-Identifier: Apache-2.0
// Made-up runs of a suite: a job that got slower with version 2, and its processes on two nodes.
import type { JobResult, LogRow, ProcessRow, Run } from '../src/server/runs.ts';
import { generator } from './make_data.ts';

const runCount = 24;
const firstOfVersion2 = 13;
const seconds = 60;

export function makeRuns(now: number): Run[] {
  const random = generator(21);
  return Array.from({ length: runCount }, (_unused, i): Run => {
    const startTime = now - (runCount - i) * 86400e3;
    const version = i < firstOfVersion2 ? '1' : '2';
    const job = (size: number): JobResult => ({
      name: 'sort',
      size,
      profiled: false,
      parameters: { parts: '200' },
      repeats: [1, 2, 3].map((repeat) => {
        const time = (size / 1000) * (i < firstOfVersion2 ? 10 : 13) * (0.97 + random() * 0.06);
        return {
          repeat,
          exitCode: 0,
          startTime,
          seconds: time,
          cpuSeconds: time * 1.7,
          maxRssBytes: 1.5e9 + random() * 1e8,
          maxima: { jvm: { processes: 3, maxCpuPercent: 180, maxRssBytes: 1.2e9 } },
        };
      }),
    });
    return {
      id: i + 1,
      startTime,
      endTime: startTime + seconds * 1e3,
      suiteName: 'nightly',
      version,
      user: 'ana',
      overallStatus: i === 4 ? 'failed' : 'passed',
      results: { jobs: [job(1000), job(4000)], growth: [{ job: 'sort', measure: 'seconds', exponent: 1.01, error: 0.02 }] },
    };
  });
}

export function makeProcesses(run: Run): ProcessRow[] {
  const random = generator(3);
  const rows: ProcessRow[] = [];
  for (let second = 0; second < seconds; second++) {
    for (const monitor of ['node-1', 'node-2']) {
      const row = (pid: number, ppid: number, type: string, command: string, cpuPercent: number, rssBytes: number): ProcessRow => ({
        timeStamp: run.startTime + second * 1e3,
        monitor,
        pid,
        ppid,
        type,
        command,
        cpuPercent,
        rssBytes,
        virtualBytes: rssBytes * 3,
        privateBytes: rssBytes * 0.8,
        readBytes: second * 2e6,
        writeBytes: second * pid * 1e4,
        application: 'app-20261121100000-0000',
      });
      rows.push(
        row(
          100,
          1,
          'jvm',
          'java org.apache.spark.executor.YarnCoarseGrainedExecutorBackend --executor-id 1',
          150 + random() * 60,
          4e8 + second * 1e7,
        ),
      );
      rows.push(row(101, 100, 'python_daemon', 'python3 -m pyspark.daemon', 1, 3e7));
      if (second > 10 && second < 45)
        for (const pid of [110, 111])
          rows.push(row(pid, 101, 'python_worker', 'python3 -m pyspark.daemon', 90, monitor === 'node-2' ? 2e8 + second * 3e7 : 2e8));
    }
  }
  return rows;
}

export function makeLog(run: Run): LogRow[] {
  return [
    { msgTime: run.startTime + 2e3, msgType: 'start', message: 'sort, size 1000, repeat 1' },
    { msgTime: run.startTime + 30e3, msgType: 'end', message: 'sort, size 1000, repeat 1: 10.1 s' },
    { msgTime: run.startTime + 31e3, msgType: 'start', message: 'sort, size 4000, repeat 1' },
    { msgTime: run.startTime + 58e3, msgType: 'error', message: 'sort, size 4000, repeat 1: exit code 3' },
  ];
}
