// SPDX-License-Identifier: Apache-2.0
// The environment in sections: what the job sets first, then what others put there.
import type { EnvironmentEntry } from '../data/contract.ts';

export interface EnvironmentSection {
  title: string;
  /** of the entries */
  rows: number[];
}

/** Values that Spark and PySpark set where nobody does. */
const defaults: Record<string, string> = {
  'spark.dynamicAllocation.enabled': 'false',
  'spark.eventLog.enabled': 'false',
  'spark.hadoop.fs.s3a.vectored.read.max.merged.size': '2m',
  'spark.hadoop.fs.s3a.vectored.read.min.seek.size': '128k',
  'spark.memory.fraction': '0.6',
  'spark.rdd.compress': 'true',
  'spark.scheduler.mode': 'fifo',
  'spark.serializer.objectStreamReset': '100',
  'spark.shuffle.service.enabled': 'false',
  'spark.speculation': 'false',
  'spark.sql.adaptive.enabled': 'true',
  'spark.sql.artifact.isolation.enabled': 'false',
  'spark.sql.autoBroadcastJoinThreshold': '10485760',
  'spark.sql.catalogImplementation': 'in-memory',
  'spark.sql.shuffle.partitions': '200',
  'spark.submit.deployMode': 'client',
};

/** IDs, places and times of one run. */
const ofTheRun =
  /^spark\.(app\.(id|name|submitTime|startTime|attempt\.id|initial\..*)|driver\.(host|port|bindAddress|appUIAddress)|executor\.id|repl\..*|submit\.pyFiles|ui\.(filters|port)|org\.apache\..*|yarn\.app\..*)$/;
/** By the name, or a value that is nothing but a file or a class of the profiler. */
const isOfProfiler = ({ name, value }: EnvironmentEntry) =>
  /^spark\.(sparkprof|plugins\.internal)\./.test(name) || /^[^\s,:]*sparkprof[^\s,:]*$/i.test(value);

const isSpark = (group: string) => group === 'Spark';
const isDefault = ({ name, value }: EnvironmentEntry) => value === '' || defaults[name] === value.toLowerCase();
const profiler = 'Profiler';

/** In the order of the sections, but for the profiler's, which is the last; an entry belongs to the first that has it. */
const titles: [string, (entry: EnvironmentEntry) => boolean][] = [
  [profiler, (entry) => entry.group === 'sparkprof' || (isSpark(entry.group) && isOfProfiler(entry))],
  ['Spark, changed from the default', (entry) => isSpark(entry.group) && !ofTheRun.test(entry.name) && !isDefault(entry)],
  ['Spark, set to the default', (entry) => isSpark(entry.group) && !ofTheRun.test(entry.name)],
  ['Spark, of this run', ({ group }) => isSpark(group)],
  ['JVM', ({ group }) => group === 'JVM'],
  ['Metrics', ({ group }) => group === 'Metrics'],
  ['System properties', ({ group }) => group === 'System'],
  ['Hadoop', ({ group }) => group === 'Hadoop'],
  ['Classpath', ({ group }) => group === 'Classpath'],
];

/** Sections that have entries among `rows`; groups without a section of their own come before the profiler's. */
export function sectionsOf(environment: EnvironmentEntry[], rows: number[]): EnvironmentSection[] {
  const sections = new Map<string, number[]>(titles.map(([title]) => [title, []]));
  for (const row of rows) {
    const entry = environment[row]!;
    const title = titles.find(([, has]) => has(entry))?.[0] ?? entry.group;
    if (!sections.get(title)?.push(row)) sections.set(title, [row]);
  }
  return [...sections]
    .map(([title, own]) => ({ title, rows: own }))
    .filter((section) => section.rows.length > 0)
    .sort((a, b) => Number(a.title === profiler) - Number(b.title === profiler));
}
