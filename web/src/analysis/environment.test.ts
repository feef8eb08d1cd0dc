// SPDX-License-Identifier: Apache-2.0
import { expect, it } from 'vitest';
import { sectionsOf } from './environment.ts';

const entries = [
  ['sparkprof', 'plugin', '1'],
  ['Spark', 'spark.plugins.internal.conf.org.sparkprof.SparkProfPlugin.dir', '/tmp'],
  ['Hadoop', 'fs.s3a.impl', 'x'],
  ['Spark', 'spark.app.id', 'local-1'],
  ['Spark', 'spark.scheduler.mode', 'FIFO'],
  ['Spark', 'spark.sql.shuffle.partitions', '400'],
  ['Kubernetes', 'pod', 'a'],
].map(([group, name, value]) => ({ group: group!, name: name!, value: value! }));

it('has what the job changed first and the profiler last', () => {
  expect(sectionsOf(entries, [...entries.keys()])).toEqual([
    { title: 'Spark, changed from the default', rows: [5] },
    { title: 'Spark, set to the default', rows: [4] },
    { title: 'Spark, of this run', rows: [3] },
    { title: 'Hadoop', rows: [2] },
    { title: 'Kubernetes', rows: [6] },
    { title: 'Profiler', rows: [0, 1] },
  ]);
});
