// SPDX-License-Identifier: Apache-2.0
// Where the version of a job, or of Spark, changes from run to run.

export interface Versions {
  /** these two: empty or absent if they are unknown */
  version?: string;
  sparkVersion?: string;
}

export interface Release {
  /** the first run with it, a place in the list */
  at: number;
  /** "version 1.4 → 1.5, Spark 3.5.7 → 4.1.1" */
  text: string;
  /** "1.5, Spark 4.1.1" */
  now: string;
}

/** `runs`: the earliest first. A run of which no version is known changes none. */
export function releasesOf(runs: Versions[]): Release[] {
  let known: Versions = {};
  return runs.flatMap(({ version, sparkVersion }, at): Release[] => {
    const pairs = [
      ['version', '', known.version, version],
      ['Spark', 'Spark ', known.sparkVersion, sparkVersion],
    ] as const;
    const changed = pairs.filter(([, , before, after]) => before && after && before !== after);
    known = { version: version || known.version, sparkVersion: sparkVersion || known.sparkVersion };
    if (changed.length === 0) return [];
    return [
      {
        at,
        text: changed.map(([name, , before, after]) => `${name} ${before} → ${after}`).join(', '),
        now: changed.map(([, prefix, , after]) => prefix + after).join(', '),
      },
    ];
  });
}
