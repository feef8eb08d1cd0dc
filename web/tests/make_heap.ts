// SPDX-License-Identifier: Apache-2.0
// Heap summaries of the test data: three JVMs, every 5 s.
import type { Heap } from '../src/data/contract.ts';

const mebibyte = 2 ** 20;
/** Name, MiB at the start, MiB more per second, bytes of an instance. */
const classes: [string, number, number, number][] = [
  ['byte[]', 60, 0.8, 640],
  ['org.apache.spark.sql.catalyst.expressions.UnsafeRow', 4, 3.1, 40],
  ['long[]', 24, 0.3, 4096],
  ['java.lang.Object[]', 18, 0.2, 120],
  ['java.lang.String', 12, 0.1, 24],
  ['char[]', 9, 0, 90],
  ['java.util.HashMap$Node', 8, 0.15, 32],
  ['scala.collection.immutable.$colon$colon', 6, -0.05, 24],
  ['com.example.Customer', 1, 0.9, 56],
  ['java.util.concurrent.ConcurrentHashMap$Node', 3, 0, 32],
];

export function demoHeap(startTime: number, endTime: number): Heap {
  const summaries: Heap['summaries'] = [];
  const rows: number[][] = [];
  for (let executor = 0; executor < 3; executor++) {
    for (let second = 2; second * 1000 < endTime; second += 5) {
      const of = classes.map(([, first, growth, size]) => {
        const bytes = Math.round(
          mebibyte * (first + Math.max(0, executor === 0 ? 0.1 * growth * second : growth * second)) * (1 + executor / 10),
        );
        return { bytes, instances: Math.round(bytes / size) };
      });
      of.forEach(({ bytes, instances }, row) => rows.push([summaries.length, row, instances, bytes]));
      const sum = (key: 'bytes' | 'instances') => of.reduce((total, one) => total + one[key], 0);
      summaries.push({
        time: startTime + second * 1000 + executor,
        executor,
        pauseMs: 30 + second / 2 + executor,
        instances: sum('instances') + 200_000,
        bytes: sum('bytes') + 9 * mebibyte,
      });
    }
  }
  return {
    classes: classes.map(([name]) => name),
    summaries,
    rows: {
      summary: Uint32Array.from(rows, (row) => row[0]!),
      class: Uint32Array.from(rows, (row) => row[1]!),
      instances: Float64Array.from(rows, (row) => row[2]!),
      bytes: Float64Array.from(rows, (row) => row[3]!),
    },
  };
}
