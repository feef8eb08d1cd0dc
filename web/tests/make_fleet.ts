// SPDX-License-Identifier: Apache-2.0
// The data of a fleet's page, as `sparkprof fleet report` writes them.
import { readFileSync } from 'node:fs';
import type { FleetData } from '../src/fleet/contract.ts';
import { dataPlace } from '../single_file.ts';

const day = 86_400_000;
const firstDay = 20_600 * day;

/** Applications of 20 jobs, one a minute; job 3 takes twice as long in the second half, with another version of Spark. */
export function makeFleet(size: number): FleetData {
  const rows = Array.from({ length: size }, (_, row) => row);
  const jobs = Array.from({ length: 20 }, (_, job) => `job_${String(job).padStart(2, '0')}_*`);
  const isSlow = (row: number) => row % 20 === 3 && row > size / 2;
  const core = rows.map((row) => 1 + (row % 7));
  return {
    currency: 'USD',
    generated: firstDay + 90 * day,
    values: { user: ['', 'ana', 'ben'], queue: ['adhoc', 'etl'], job: jobs, engine: ['rapids', 'spark'], sparkVersion: ['3.5.1', '4.0.0'] },
    user: rows.map((row) => row % 3),
    queue: rows.map((row) => row % 2),
    job: rows.map((row) => row % 20),
    engine: rows.map((row) => (row % 20 === 0 ? 0 : 1)),
    sparkVersion: rows.map((row) => (isSlow(row) ? 1 : 0)),
    id: rows.map((row) => `application_1_${row}`),
    source: rows.map((row) => `/logs/application_1_${row}`),
    start: rows.map((row) => firstDay + Math.floor((row / size) * 80) * day + row),
    durationMs: rows.map((row) => (isSlow(row) ? 120_000 : 60_000) + (row % 11)),
    core,
    wasted: core.map((hours) => hours / 2),
    gb: core.map((hours) => hours * 4),
    cost: core.map((hours) => hours / 10),
    inputBytes: rows.map(() => 1e9),
    findingApplication: rows.filter((row) => row % 2 === 0),
    findingRule: rows.filter((row) => row % 2 === 0).map((row) => (row / 2) % 2),
    findingCore: rows.filter((row) => row % 2 === 0).map(() => 0.25),
    findingGb: rows.filter((row) => row % 2 === 0).map(() => 1),
    findingCost: rows.filter((row) => row % 2 === 0).map(() => 0.025),
    rules: [
      { rule: 'straggler', title: 'Stage 4: one task takes 80% of its time', change: 'Enable skew join handling' },
      { rule: 'tiny_tasks', title: 'Stage 2: 10,000 tasks of 20 ms', change: 'Use fewer partitions' },
    ],
    queries: [
      {
        job: jobs[0]!,
        description: 'count at Job.scala:12',
        runs: 5,
        core: 2,
        cost: 0.2,
        medianMs: 1000,
        longestMs: 2000,
        spilledBytes: 0,
        failed: 0,
        fallbacks: 0,
        engine: 'spark',
      },
    ],
    tables: [{ name: 'parquet db.sales', queries: 5, applications: 3, core: 2, cost: 0.2, bytes: 1e9, bits: bits(size, 3) }],
    settings: [{ key: 'spark.executor.memory', value: '4g', applications: 10, core: 5, bits: bits(size, 10) }],
    failures: [{ source: '/logs/broken', reason: '/logs/broken: empty' }],
    failed: 1,
  };
}

/** Bits as the command writes them: of the first `rows` applications. */
const bits = (size: number, rows: number) =>
  Buffer.from(Array.from({ length: Math.ceil(size / 8) }, (_, at) => 0xff & (0xff00 >> Math.max(0, Math.min(8, rows - 8 * at))))).toString(
    'base64',
  );

export function fleetHtml(data: FleetData): string {
  const page = readFileSync(new URL('../dist/fleet.html', import.meta.url), 'utf8');
  const json = JSON.stringify(data).replaceAll('<', '\\u003c');
  return page.replace(dataPlace, () => dataPlace.replace('></', () => `>${json}</`));
}
