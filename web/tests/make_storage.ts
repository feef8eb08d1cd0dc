// SPDX-License-Identifier: Apache-2.0
// Cached RDDs, streaming queries and source code of the test data.
import type { Frames, SourceFile, StoredRdd, Streaming } from '../src/data/contract.ts';

const mebibyte = 2 ** 20;

/** RDD 7 fills, loses blocks to eviction and is given up; nothing is known of how much of RDD 21 was stored. */
export function demoStorage(startTime: number, endTime: number): StoredRdd[] {
  const steps = Array.from({ length: 24 }, (_, i) => 2500 + i * 400);
  const memory = steps.map((_, i) => Math.min(16, i + 1) * 12 * mebibyte - Math.max(0, i - 18) * 12 * mebibyte);
  const disk = steps.map((_, i) => Math.max(0, i - 18) * 9 * mebibyte);
  return [
    {
      id: 7,
      name: '*(2) Project [customer_id, region, tier]\n+- Scan parquet customers',
      storageLevel: 'Disk Memory Deserialized 1x Replicated',
      numPartitions: 16,
      stageIds: [2, 3, 4],
      peakMemoryUsed: Math.max(...memory),
      peakDiskUsed: Math.max(...disk),
      evictedBlocks: 5,
      lostBlocks: 2,
      unpersistTime: startTime + 14_000,
      stored: {
        time: Float64Array.from([...steps, 14_000]),
        partitions: Uint32Array.from([...steps.map((_, i) => Math.min(16, i + 1)), 0]),
        memoryBytes: Float64Array.from([...memory, 0]),
        diskBytes: Float64Array.from([...disk, 0]),
      },
    },
    {
      id: 12,
      name: 'prices',
      storageLevel: 'Memory Serialized 2x Replicated',
      numPartitions: 4,
      stageIds: [3, 4, 5, 6],
      peakMemoryUsed: 30 * mebibyte,
      peakDiskUsed: 0,
      evictedBlocks: 0,
      lostBlocks: 0,
      unpersistTime: 0,
      stored: {
        time: Float64Array.of(5000, 6000),
        partitions: Uint32Array.of(2, 4),
        memoryBytes: Float64Array.of(14 * mebibyte, 30 * mebibyte),
        diskBytes: new Float64Array(2),
      },
    },
    {
      id: 21,
      name: 'never counted',
      storageLevel: 'Memory Deserialized 1x Replicated',
      numPartitions: 8,
      stageIds: [6],
      peakMemoryUsed: 0,
      peakDiskUsed: 0,
      evictedBlocks: 0,
      lostBlocks: 0,
      unpersistTime: 0,
    },
  ].map((rdd) => ({ ...rdd, unpersistTime: Math.min(rdd.unpersistTime, startTime + endTime) }));
}

/** A query that falls behind, and one that reported nothing. */
export function demoStreaming(startTime: number): Streaming {
  const rows = Array.from({ length: 18 }, (_, i) => i);
  const of = (value: (i: number) => number) => Float64Array.from(rows, value);
  const duration = (i: number) => (600 + 90 * i) * 1e6;
  return {
    queries: [
      { id: 'q-1', runId: 'r-1', name: 'clicks', startTime: startTime + 1000, endTime: 0, failure: '' },
      {
        id: 'q-2',
        runId: 'r-2',
        name: '',
        startTime: startTime + 2000,
        endTime: startTime + 9000,
        failure: 'org.apache.kafka.common.errors.TimeoutException: topic not present',
      },
    ],
    batches: {
      query: new Int32Array(rows.length),
      id: of((i) => i),
      time: of((i) => 1500 + i * 1400),
      durationNs: of(duration),
      inputRows: of((i) => 4000 + 300 * i),
      inputRowsPerSecond: of((i) => 2600 + 200 * i),
      processedRowsPerSecond: of((i) => 3300 - 20 * i),
      stateRows: of((i) => 900 * i),
      stateBytes: of((i) => 120_000 * i),
      offsetsBehind: of((i) => 50 * i),
      watermarkDelayNs: of((i) => (i === 0 ? -1 : 10e9)),
    },
    phases: [
      { name: 'addBatch', durationNs: of((i) => 0.8 * duration(i)) },
      { name: 'queryPlanning', durationNs: of(() => 40e6) },
      { name: 'triggerExecution', durationNs: of(duration) },
      { name: 'walCommit', durationNs: of(() => 25e6) },
    ],
    dropped: '',
  };
}

const sources: SourceFile[] = [
  {
    path: 'src/main/scala/com/example/orders/Pricing.scala',
    text: code('Pricing.scala', 95, {
      57: '    val base = lookup(order.sku)',
      61: '    base.multiply(rateOf(tier))',
      88: '    prices.get(sku)',
    }),
  },
  {
    path: 'demo_job.py',
    text: code('demo_job.py', 60, {
      24: '    return np.array([row.amount, row.tier])',
      29: '    return values / np.linalg.norm(values)',
      38: '    x = features(batch)',
      40: '    return normalize(x).sum()',
    }),
  },
];

function code(name: string, lines: number, known: Record<number, string>): string {
  return Array.from({ length: lines }, (_, i) => known[i + 1] ?? `  # ${name} line ${i + 1}`).join('\n');
}

/** The sources, and the frames with a column that refers to them. */
export function withSources(frames: Frames, strings: string[]): { frames: Frames; sources: SourceFile[] } {
  const rowOf = (name: string) => (name.startsWith('com.example.orders.Pricing') ? 0 : name.startsWith('demo_job.py') ? 1 : -1);
  return {
    frames: { ...frames, source: Int32Array.from(frames.name, (name, i) => (frames.line[i]! > 0 ? rowOf(strings[name]!) : -1)) },
    sources,
  };
}
