// SPDX-License-Identifier: Apache-2.0
// The run before: what a run of a job is measured against in lists.

export interface ListedRun {
  /** runs with the same key are of one job */
  key: string;
  startTime: number;
  /** ms; null: not ended, or failed */
  durationMs: number | null;
}

/** For each of `runs` the place of the latest earlier one of its job that ended; -1 for none. In any order. */
export function runsBefore(runs: ListedRun[]): number[] {
  const order = runs.map((_run, at) => at).sort((a, b) => runs[a]!.startTime - runs[b]!.startTime || a - b);
  const latest = new Map<string, number>();
  const before = new Array<number>(runs.length).fill(-1);
  for (const at of order) {
    const { key, durationMs } = runs[at]!;
    before[at] = latest.get(key) ?? -1;
    if (durationMs !== null) latest.set(key, at);
  }
  return before;
}
