// SPDX-License-Identifier: Apache-2.0
// Stacks as Spark jobs have them, for test data. A frame is written `name:kind:origin`, with an optional `@line`.
import type { Frames, Stacks } from '../src/data/contract.ts';

export class FrameBook {
  readonly strings: string[] = [''];
  private readonly stringIds = new Map<string, number>([['', 0]]);
  private readonly frameIds = new Map<string, number>();
  private readonly frameRows: number[][] = [];
  private readonly stackIds = new Map<string, number>();
  private readonly parents = [0];
  private readonly frameOfStack = [0];

  private text(value: string): number {
    let id = this.stringIds.get(value);
    if (id === undefined) {
      id = this.strings.push(value) - 1;
      this.stringIds.set(value, id);
    }
    return id;
  }

  private frame(spec: string): number {
    let id = this.frameIds.get(spec);
    if (id !== undefined) return id;
    const [, name, kind, origin, line] = /^(.*):(\d):(\d)(?:@(\d+))?$/.exec(spec)!;
    const file = kind === '6' ? name!.split(':')[0]! : `${name!.split('.').find((part) => /^[A-Z]/.test(part)) ?? 'native'}.scala`;
    id = this.frameRows.push([this.text(name!), this.text(file), Number(line ?? 0), Number(kind), Number(origin)]) - 1;
    this.frameIds.set(spec, id);
    return id;
  }

  stack(specs: string[]): number {
    let parent = 0;
    for (const spec of specs) {
      const frame = this.frame(spec);
      const key = `${parent}/${frame}`;
      let row = this.stackIds.get(key);
      if (row === undefined) {
        row = this.parents.push(parent) - 1;
        this.frameOfStack.push(frame);
        this.stackIds.set(key, row);
      }
      parent = row;
    }
    return parent;
  }

  frames(): Frames {
    const column = (at: number) => this.frameRows.map((row) => row[at]!);
    return {
      name: Uint32Array.from(column(0)),
      file: Uint32Array.from(column(1)),
      line: Uint32Array.from(column(2)),
      kind: Uint8Array.from(column(3)),
      origin: Uint8Array.from(column(4)),
    };
  }

  stacks(): Stacks {
    return { parent: Uint32Array.from(this.parents), frame: Uint32Array.from(this.frameOfStack) };
  }
}

const exec = 'org.apache.spark.sql.execution';
const base = [
  'java.lang.Thread.run:1:3',
  'java.util.concurrent.ThreadPoolExecutor$Worker.run:1:3',
  'java.util.concurrent.ThreadPoolExecutor.runWorker:1:3',
  'org.apache.spark.executor.Executor$TaskRunner.run:1:2',
  'org.apache.spark.scheduler.Task.run:1:2',
];
const shuffleMap = [
  ...base,
  'org.apache.spark.scheduler.ShuffleMapTask.runTask:1:2',
  'org.apache.spark.shuffle.ShuffleWriteProcessor.write:1:2',
];
const result = [...base, 'org.apache.spark.scheduler.ResultTask.runTask:1:2', 'org.apache.spark.rdd.RDD.iterator:1:2'];
const generated = `${exec}.WholeStageCodegenExec$$anon$1.hasNext:1:2`;
const iterate = 'scala.collection.Iterator$$anon$10.hasNext:3:3';

const scan = [
  [
    6,
    [
      ...shuffleMap,
      generated,
      `${exec}.datasources.FileScanRDD$$anon$1.hasNext:1:2`,
      `${exec}.datasources.parquet.VectorizedParquetRecordReader.nextBatch:1:2`,
      'org.apache.parquet.hadoop.ParquetFileReader.readNextRowGroup:1:0',
      'org.xerial.snappy.SnappyNative.rawUncompress:4:0',
    ],
  ],
  [
    5,
    [
      ...shuffleMap,
      generated,
      `${exec}.datasources.FileScanRDD$$anon$1.hasNext:1:2`,
      `${exec}.datasources.parquet.VectorizedParquetRecordReader.nextBatch:1:2`,
      `${exec}.datasources.parquet.VectorizedColumnReader.readBatch:1:2@204`,
      `${exec}.datasources.parquet.VectorizedRleValuesReader.readIntegers:3:2@310`,
    ],
  ],
  [
    4,
    [
      ...shuffleMap,
      generated,
      `${exec}.datasources.parquet.VectorizedColumnReader.readBatch:1:2@231`,
      'org.apache.parquet.column.values.dictionary.PlainValuesDictionary.decodeToLong:3:0',
    ],
  ],
  [
    5,
    [
      ...shuffleMap,
      'org.apache.spark.shuffle.sort.UnsafeShuffleWriter.write:1:2',
      'org.apache.spark.shuffle.sort.UnsafeShuffleWriter.insertRecordIntoSorter:1:2',
      'org.apache.spark.shuffle.sort.ShuffleExternalSorter.insertRecord:1:2',
    ],
  ],
  [
    2,
    [
      ...shuffleMap,
      'org.apache.spark.shuffle.sort.UnsafeShuffleWriter.closeAndWriteOutput:1:2',
      'net.jpountz.lz4.LZ4JNICompressor.compress:1:0',
      'LZ4_compress_fast:4:0',
    ],
  ],
  [
    1,
    [
      ...shuffleMap,
      'org.apache.spark.shuffle.sort.UnsafeShuffleWriter.closeAndWriteOutput:1:2',
      'sun.nio.ch.FileChannelImpl.write:1:3',
      'write:4:3',
      'ksys_write:5:0',
      'ext4_file_write_iter:5:0',
    ],
  ],
] as const;
const merge = `${exec}.joins.SortMergeJoinScanner.findNextInnerJoinRows:1:2`;
const join = [
  [
    6,
    [
      ...shuffleMap,
      generated,
      iterate,
      merge,
      `${exec}.joins.SortMergeJoinScanner.advancedBufferedToRowWithNullFreeJoinKey:1:2@1180`,
      `${exec}.RowIteratorFromScala.advanceNext:3:2`,
    ],
  ],
  [3, [...shuffleMap, generated, iterate, merge, `${exec}.joins.SortMergeJoinScanner.advancedBufferedToRowWithNullFreeJoinKey:1:2@1192`]],
  [
    5,
    [
      ...shuffleMap,
      generated,
      `${exec}.aggregate.HashAggregateExec.doAggregateWithKeys:1:2`,
      `${exec}.UnsafeFixedWidthAggregationMap.getAggregationBufferFromUnsafeRow:1:2`,
      'org.apache.spark.unsafe.map.BytesToBytesMap.safeLookup:3:2',
      'org.apache.spark.unsafe.hash.Murmur3_x86_32.hashUnsafeWords:3:2',
    ],
  ],
  [
    4,
    [
      ...shuffleMap,
      generated,
      'com.example.orders.Pricing.discount:1:1@57',
      'com.example.orders.Pricing.lookup:3:1@88',
      'java.util.HashMap.getNode:3:3',
    ],
  ],
  [2, [...shuffleMap, generated, 'com.example.orders.Pricing.discount:1:1@61', 'java.math.BigDecimal.multiply:1:3']],
  [
    3,
    [
      ...shuffleMap,
      'org.apache.spark.shuffle.BlockStoreShuffleReader.read:1:2',
      'org.apache.spark.storage.ShuffleBlockFetcherIterator.next:1:2',
      'net.jpountz.lz4.LZ4BlockInputStream.refill:1:0',
      'LZ4_decompress_safe:4:0',
    ],
  ],
] as const;
const spill = [
  [
    7,
    [
      ...shuffleMap,
      generated,
      iterate,
      merge,
      `${exec}.ExternalAppendOnlyUnsafeRowArray.add:1:2`,
      'org.apache.spark.util.collection.unsafe.sort.UnsafeExternalSorter.insertRecord:1:2',
      'org.apache.spark.util.collection.unsafe.sort.UnsafeExternalSorter.spill:1:2',
      'org.apache.spark.util.collection.unsafe.sort.UnsafeSorterSpillWriter.write:1:2',
      'sun.nio.ch.FileDispatcherImpl.write0:4:3',
      'ksys_write:5:0',
    ],
  ],
  [
    8,
    [
      ...shuffleMap,
      generated,
      iterate,
      merge,
      `${exec}.joins.SortMergeJoinScanner.advancedBufferedToRowWithNullFreeJoinKey:1:2@1180`,
      `${exec}.RowIteratorFromScala.advanceNext:3:2`,
    ],
  ],
  [
    2,
    [
      ...shuffleMap,
      generated,
      'com.example.orders.Pricing.discount:1:1@57',
      'com.example.orders.Pricing.lookup:3:1@88',
      'java.util.HashMap.getNode:3:3',
    ],
  ],
] as const;
const pythonRunner = [...result, `${exec}.python.ArrowEvalPythonExec.evaluate:1:2`, `${exec}.python.ArrowPythonRunner$$anon$2.read:1:2`];
const wait = [...pythonRunner, 'java.net.SocketInputStream.read:1:3', '[waiting for Python]:7:4'];
const worker = [...wait, 'pyspark/worker.py:main:6:4', 'pyspark/serializers.py:dump_stream:6:4'];
const python = [
  [3, [...worker, 'demo_job.py:score:6:1@38', 'demo_job.py:features:6:1@24', 'numpy/linalg.py:norm:6:0']],
  [5, [...worker, 'demo_job.py:score:6:1@40', 'demo_job.py:normalize:6:1@29']],
  [2, [...worker, 'pyarrow/ipc.py:read_next_batch:6:0', 'arrow::ipc::ReadRecordBatch:4:0']],
  [2, wait],
] as const;
const pythonJvm = [
  [
    3,
    [...pythonRunner, 'org.apache.arrow.vector.ipc.ArrowStreamWriter.writeBatch:1:0', 'org.apache.arrow.vector.ipc.WriteChannel.write:3:0'],
  ],
  [2, [...result, generated, `${exec}.arrow.ArrowWriter.write:1:2`, `${exec}.arrow.IntegerWriter.setValue:3:2`]],
  [
    1,
    [
      ...result,
      'org.apache.spark.serializer.JavaSerializerInstance.serialize:2:2',
      'java.io.ObjectOutputStream.writeObject0:2:3',
      'java.io.ObjectOutputStream.writeSerialData:2:3',
      'java.io.ObjectOutputStream.writeObject0:2:3',
      'java.io.ObjectOutputStream.writeArray:2:3',
    ],
  ],
] as const;

type Weighted = readonly (readonly [number, readonly string[]])[];

function choose(book: FrameBook, list: Weighted, random: () => number): number {
  let at = random() * list.reduce((sum, [weight]) => sum + weight, 0);
  for (const [weight, frames] of list) {
    at -= weight;
    if (at < 0) return book.stack([...frames]);
  }
  return book.stack([...list[0]![1]]);
}

/** Stacks of one stage; `waiting` asks for one under a Python wait. */
export function framesOfStage(book: FrameBook, stage: number, usesPython: boolean) {
  return {
    pick(random: () => number, straggler: boolean, waiting: boolean): number {
      if (usesPython) return choose(book, waiting ? python : pythonJvm, random);
      if (stage === 3) return choose(book, straggler ? spill : join, random);
      if (stage === 5) return choose(book, pythonJvm.slice(1), random);
      return choose(book, scan, random);
    },
  };
}

export function gcStack(book: FrameBook): number {
  return book.stack(['G1ConcurrentMarkThread::run_service:4:5', 'G1ConcurrentMark::mark_from_roots:4:5', 'G1CMTask::do_marking_step:4:5']);
}

export function idleStack(book: FrameBook): number {
  return book.stack([
    ...base.slice(0, 3),
    'java.util.concurrent.ThreadPoolExecutor.getTask:1:3',
    'java.util.concurrent.locks.LockSupport.park:1:3',
    'jdk.internal.misc.Unsafe.park:4:3',
  ]);
}
