// SPDX-License-Identifier: Apache-2.0
// Jobs that take longer than they did: change points of the durations of their runs, and what changed with them.
import { changePoints, leastRuns } from '../server/compare/change_points.ts';
import { median } from '../server/runs.ts';
import type { Dimension } from './contract.ts';
import type { Fleet } from './totals.ts';

export interface Regression {
  job: number;
  /** ms since the Unix epoch: the first run at the new level */
  since: number;
  runs: number;
  beforeMs: number;
  afterMs: number;
  changes: string[];
}

/** Earlier runs are history. */
const mostRuns = 60;
const mostJobs = 100;
const leastRatio = 1.1;
const leastShare = 0.8;
const watched: [Dimension, string][] = [
  ['sparkVersion', 'Spark'],
  ['engine', 'engine'],
  ['queue', 'queue'],
  ['user', 'user'],
];

/** The number that nearly all have; null if there is none, so that chance is no change. */
function common(numbers: number[]): number | null {
  const counts = new Map<number, number>();
  for (const number of numbers) counts.set(number, (counts.get(number) ?? 0) + 1);
  const [number, uses] = [...counts].sort((a, b) => b[1] - a[1])[0]!;
  return uses >= leastShare * numbers.length ? number : null;
}

function changesBetween(fleet: Fleet, before: number[], after: number[]): string[] {
  const changes = watched.flatMap(([dimension, label]) => {
    const column = fleet.numberOf[dimension];
    const values = fleet.data.values[dimension];
    const [from, to] = [before, after].map((rows) => common(rows.map((row) => column[row]!)));
    if (from === null || to === null || from === to) return [];
    return [`${label} ${values[from!] || 'unknown'} → ${values[to!] || 'unknown'}`];
  });
  const [read, readNow] = [before, after].map((rows) => median(rows.map((row) => fleet.data.inputBytes[row] ?? 0)));
  const ratio = read! > 0 ? readNow! / read! : 1;
  if (ratio > leastRatio || ratio < 1 / leastRatio) changes.push(`input × ${ratio.toFixed(2)}`);
  return changes;
}

/** The latest change of each job, if it made it slower; the largest loss first. */
export function regressionsOf(fleet: Fleet): Regression[] {
  const runsOf = new Map<number, number[]>();
  for (let row = 0; row < fleet.size; row++) {
    if (fleet.data.durationMs[row] === null) continue;
    const job = fleet.numberOf.job[row]!;
    const runs = runsOf.get(job);
    if (runs) runs.push(row);
    else runsOf.set(job, [row]);
  }
  const core = (rows: number[]) => rows.reduce((sum, row) => sum + fleet.core[row]!, 0);
  const jobs = [...runsOf].filter(([, runs]) => runs.length >= leastRuns).map(([job, runs]) => ({ job, runs, core: core(runs) }));
  jobs.sort((a, b) => b.core - a.core);
  return jobs
    .slice(0, mostJobs)
    .flatMap(({ job, runs: all }) => {
      const runs = all.slice(-mostRuns);
      const durations = runs.map((row) => fleet.data.durationMs[row]!);
      const at = changePoints(durations).at(-1);
      if (at === undefined) return [];
      const [before, after] = [runs.slice(0, at), runs.slice(at)];
      const [beforeMs, afterMs] = [median(durations.slice(0, at)), median(durations.slice(at))];
      if (afterMs < beforeMs * leastRatio) return [];
      return [
        { job, since: fleet.data.start[after[0]!]!, runs: after.length, beforeMs, afterMs, changes: changesBetween(fleet, before, after) },
      ];
    })
    .sort((a, b) => b.runs * (b.afterMs - b.beforeMs) - a.runs * (a.afterMs - a.beforeMs));
}
