// SPDX-License-Identifier: Apache-2.0
// A made-up answer of `sparkprof compare --json` about two runs of a job, and the page of `sparkprof compare -o` about them.
import { readFileSync } from 'node:fs';
import type { RunChange } from '../src/server/run_change.ts';
import { dataPlace } from '../single_file.ts';

const run = (id: string, factor: number, startTime: number) => ({
  id,
  name: 'daily_orders',
  durationMs: 40_000 * factor,
  startTime,
  sparkVersion: '4.1.1',
  executors: 2,
  cores: 4,
  driverMs: 6000 * factor,
  tasks: 400,
  taskMs: 120_000 * factor,
  cpuMs: 90_000 * factor,
  gcMs: 3000,
  inputBytes: 2 ** 30,
  shuffleReadBytes: 2 ** 28,
  shuffleWriteBytes: 2 ** 28,
  spilledBytes: 0,
  findings: 2,
});

export function makeChange(before = 'app-20261121152919-0000', after = 'app-20261122152919-0000'): RunChange {
  return {
    before: run(before, 1, Date.UTC(2026, 10, 21, 15, 29)),
    after: run(after, 1.6, Date.UTC(2026, 10, 22, 15, 29)),
    changePercent: 60,
    environment: ['Spark: 4.1.1, 3.5.7 before'],
    causes: [
      {
        kind: 'python',
        stage: 4,
        text: 'collect at orders.py:60: 38.0 s of Python, 14.0 s before; most of it in checksum (orders.py:16), 30.1 s before, 6.0 s now',
        deltaMs: 21_000,
      },
      { kind: 'driver', stage: null, text: 'No task runs for 9.6 s, 6.0 s before: the driver, starting up or planning', deltaMs: 3600 },
      { kind: 'data', stage: 2, text: 'count at orders.py:40: Data: reads 1.0 GiB (0.5x), 2.0 GiB before', deltaMs: -600 },
    ],
    stages: [4, 2, 0].map((id, at) => ({
      name: `collect at orders.py:${60 - 20 * at}`,
      stagesBefore: [id],
      stagesAfter: [id],
      beforeMs: 14_000 - 4000 * at,
      afterMs: at === 0 ? 35_000 : 14_000 - 4000 * at - 600,
      tasksBeforeMs: 50_000,
      tasksAfterMs: 80_000,
      causes: at === 0 ? ['Code or machine: 38.0 s CPU time (2.7x) for the same data, 14.0 s before'] : [],
    })),
    plans: [
      {
        name: 'collect at orders.py:60',
        sqlBefore: 3,
        sqlAfter: 3,
        beforeMs: 16_000,
        afterMs: 37_000,
        gone: ['BroadcastHashJoin'],
        new: ['Sort ×2', 'SortMergeJoin'],
      },
    ],
    settings: [{ name: 'spark.sql.autoBroadcastJoinThreshold', before: null, after: '-1' }],
    findings: { gone: [], new: [{ id: 'python-udf', rule: 'python-udf', title: 'Stage 4: Python takes 70.1% of task time' }] },
  };
}

/** `before` and `after`: the data of reports, base64. */
export function compareHtml(change: RunChange, before: string, after: string): string {
  const page = readFileSync(new URL('../dist/compare.html', import.meta.url), 'utf8');
  const data = JSON.stringify({ change, before, after }).replaceAll('<', '\\u003c');
  return page.replace(dataPlace, () => dataPlace.replace('></', `>${data}</`));
}
