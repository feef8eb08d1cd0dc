// SPDX-License-Identifier: Apache-2.0
// An event log with something for every tab that needs no samples: two executors, a lost one, failed and speculative tasks, a
// stage attempted twice, SQL with metrics, a cached RDD, a streaming query.
import { generator } from './make_data.ts';

const start = Date.UTC(2026, 10, 21, 9, 30, 0);
type Fields = Record<string, unknown>;

export function eventLog(): string {
  const lines: string[] = [];
  const event = (name: string, fields: Fields) => lines.push(JSON.stringify({ Event: name, ...fields }));
  const spark = (name: string, fields: Fields) => event(`SparkListener${name}`, fields);
  const sql = (name: string, fields: Fields) => event(`org.apache.spark.sql.execution.ui.SparkListener${name}`, fields);
  const streaming = (name: string, fields: Fields) => event(`org.apache.spark.sql.streaming.StreamingQueryListener$Query${name}`, fields);
  const random = generator(11);
  spark('LogStart', { 'Spark Version': '3.5.7' });
  spark('ApplicationStart', { 'App Name': 'numbers', 'App ID': 'app-20261121093000-0007', Timestamp: start, User: 'me' });
  spark('EnvironmentUpdate', {
    'JVM Information': { 'Java Version': '17.0.13 (Eclipse Adoptium)' },
    'Spark Properties': { 'spark.app.name': 'numbers', 'spark.executor.cores': '2', 'spark.sql.shuffle.partitions': '24' },
    'System Properties': { 'user.timezone': 'Etc/UTC' },
    'Classpath Entries': {},
  });
  for (const id of ['1', '2', '3']) {
    spark('ExecutorAdded', { Timestamp: start + 900, 'Executor ID': id, 'Executor Info': { Host: `worker-${id}`, 'Total Cores': 2 } });
    spark('BlockManagerAdded', {
      'Block Manager ID': { 'Executor ID': id, Host: `worker-${id}`, Port: 7000 },
      'Maximum Memory': 384_093_388,
      Timestamp: start + 950,
    });
  }
  sql('SQLExecutionStart', {
    executionId: 0,
    description: 'orders joined with customers',
    details: '== Physical Plan ==',
    physicalPlanDescription: 'HashAggregate',
    time: start + 1000,
    sparkPlanInfo: plan(),
  });
  streaming('StartedEvent', { id: 'q', runId: 'r', name: 'clicks', timestamp: new Date(start + 1000).toISOString() });

  let tid = 0;
  let clock = start + 1200;
  const shapes = [
    { id: 0, attempt: 0, tasks: 6, ms: 900, failed: 0, cached: true },
    { id: 1, attempt: 0, tasks: 24, ms: 400, failed: 3, cached: true },
    { id: 1, attempt: 1, tasks: 24, ms: 450, failed: 0, cached: true },
    { id: 2, attempt: 0, tasks: 1, ms: 1500, failed: 0, cached: false },
  ];
  for (const shape of shapes) {
    const job = shape.id === 2 ? 1 : 0;
    const info = {
      'Stage ID': shape.id,
      'Stage Attempt ID': shape.attempt,
      'Stage Name': `count at Job.scala:${10 + shape.id}`,
      'Number of Tasks': shape.tasks,
      'Submission Time': clock,
      'RDD Info': shape.cached
        ? [
            {
              'RDD ID': 4,
              Name: 'customers',
              'Number of Partitions': 6,
              'Storage Level': { 'Use Disk': true, 'Use Memory': true, 'Use Off Heap': false, Deserialized: true, Replication: 1 },
            },
          ]
        : [],
    };
    if (shape.attempt === 0 && shape.id !== 1) {
      const stages = job === 0 ? [0, 1] : [2];
      spark('JobStart', {
        'Job ID': job,
        'Submission Time': clock - 20,
        'Stage IDs': stages,
        'Stage Infos': stages.map((id) => ({ ...info, 'Stage ID': id, 'Number of Tasks': shapes.find((one) => one.id === id)!.tasks })),
        Properties: job === 0 ? { 'spark.sql.execution.id': '0', 'spark.job.tags': 'nightly,etl' } : {},
      });
    }
    spark('StageSubmitted', { 'Stage Info': info, Properties: job === 0 ? { 'spark.sql.execution.id': '0' } : {} });
    const free = [clock, clock, clock, clock];
    for (let index = 0; index < shape.tasks; index++) {
      const slot = free.indexOf(Math.min(...free));
      const begin = free[slot]! + 3;
      const end = begin + Math.round(shape.ms * (0.5 + random()) * (index === 5 ? 4 : 1));
      free[slot] = end;
      const executor = String(1 + (slot % 3));
      const failed = index < shape.failed;
      const task = {
        'Task ID': tid++,
        Index: index,
        Attempt: 0,
        'Partition ID': index,
        'Launch Time': begin,
        'Executor ID': executor,
        Host: `worker-${executor}`,
        Locality: 'NODE_LOCAL',
        Speculative: index === 7,
        'Getting Result Time': 0,
      };
      spark('TaskStart', {
        'Stage ID': shape.id,
        'Stage Attempt ID': shape.attempt,
        'Task Info': { ...task, 'Finish Time': 0, Failed: false, Killed: false },
      });
      spark('TaskEnd', {
        'Stage ID': shape.id,
        'Stage Attempt ID': shape.attempt,
        'Task Type': 'ShuffleMapTask',
        'Task End Reason': failed
          ? {
              Reason: 'ExceptionFailure',
              'Class Name': 'java.io.IOException',
              Description: 'disk full',
              'Full Stack Trace': 'java.io.IOException: disk full',
            }
          : { Reason: 'Success' },
        'Task Info': {
          ...task,
          'Finish Time': end,
          Failed: failed,
          Killed: false,
          Accumulables: failed ? [] : [{ ID: 90, Name: 'number of output rows', Update: String(100 + index), Value: '0', Metadata: 'sql' }],
        },
        'Task Executor Metrics': { JVMHeapMemory: 150_000_000 + 1000 * tid, OnHeapStorageMemory: 5_000_000 },
        'Task Metrics': taskMetrics(random, end - begin, index),
      });
      if (shape.id === 0) block(spark, `rdd_4_${index}`, executor, 1_000_000 + index, 0);
    }
    clock = Math.max(...free) + 40;
    if (shape.id === 0) block(spark, 'rdd_4_2', '3', 0, 700_000);
    spark('StageCompleted', {
      'Stage Info': { ...info, 'Completion Time': clock - 10, ...(shape.failed ? { 'Failure Reason': 'disk full' } : {}) },
    });
    streaming('ProgressEvent', { progress: progress(tid, clock) });
    if (shape.attempt === 1 || shape.id === 2)
      spark('JobEnd', { 'Job ID': job, 'Completion Time': clock - 5, 'Job Result': { Result: 'JobSucceeded' } });
  }
  sql('SQLExecutionEnd', { executionId: 0, time: clock });
  spark('ExecutorRemoved', {
    Timestamp: clock + 50,
    'Executor ID': '3',
    'Removed Reason': 'Container killed by YARN for exceeding memory limits',
  });
  spark('UnpersistRDD', { 'RDD ID': 4 });
  spark('ApplicationEnd', { Timestamp: clock + 400 });
  return `${lines.join('\n')}\n`;
}

function plan(): Fields {
  const scan = {
    nodeName: 'Scan parquet orders',
    simpleString: 'FileScan parquet [customer_id]',
    children: [],
    metrics: [{ name: 'number of output rows', accumulatorId: 90, metricType: 'sum' }],
  };
  return {
    nodeName: 'HashAggregate',
    simpleString: 'HashAggregate(keys=[region])',
    children: [scan],
    metrics: [{ name: 'time in aggregation build', accumulatorId: 91, metricType: 'timing' }],
  };
}

function taskMetrics(random: () => number, ms: number, index: number): Fields {
  const number = (most: number) => Math.round(random() * most);
  return {
    'Executor Deserialize Time': 4,
    'Executor Deserialize CPU Time': 2_000_000,
    'Executor Run Time': ms - 20,
    'Executor CPU Time': Math.round((ms - 20) * 0.7e6),
    'Peak Execution Memory': number(9e6),
    'Result Size': 1000 + index,
    'JVM GC Time': number(ms / 10),
    'Result Serialization Time': 1,
    'Memory Bytes Spilled': index === 5 ? 8_000_000 : 0,
    'Disk Bytes Spilled': index === 5 ? 3_000_000 : 0,
    'Shuffle Read Metrics': {
      'Remote Blocks Fetched': 1,
      'Local Blocks Fetched': 1,
      'Fetch Wait Time': number(30),
      'Remote Bytes Read': number(1e6),
      'Local Bytes Read': number(1e6),
      'Total Records Read': number(1e4),
    },
    'Shuffle Write Metrics': {
      'Shuffle Bytes Written': number(2e6),
      'Shuffle Write Time': number(5e6),
      'Shuffle Records Written': number(1e4),
    },
    'Input Metrics': { 'Bytes Read': number(5e6), 'Records Read': number(1e5) },
    'Output Metrics': { 'Bytes Written': 0, 'Records Written': 0 },
  };
}

function block(spark: (name: string, fields: Fields) => void, id: string, executor: string, memory: number, disk: number): void {
  const level = { 'Use Disk': disk > 0, 'Use Memory': memory > 0, Deserialized: true, Replication: 1 };
  spark('BlockUpdated', {
    'Block Updated Info': {
      'Block Manager ID': { 'Executor ID': executor, Host: `worker-${executor}`, Port: 7000 },
      'Block ID': id,
      'Storage Level': level,
      'Memory Size': memory,
      'Disk Size': disk,
    },
  });
}

function progress(batch: number, time: number): Fields {
  return {
    id: 'q',
    runId: 'r',
    name: 'clicks',
    timestamp: new Date(time - 800).toISOString(),
    batchId: batch,
    batchDuration: 700 + batch,
    durationMs: { addBatch: 500 + batch, walCommit: 25, triggerExecution: 700 + batch },
    eventTime: { watermark: new Date(time - 9000).toISOString() },
    stateOperators: [{ numRowsTotal: 70 + batch, memoryUsedBytes: 4800 + batch }],
    sources: [
      {
        numInputRows: 3000 + batch,
        inputRowsPerSecond: 1000.5,
        processedRowsPerSecond: 3300.25,
        metrics: { maxOffsetsBehindLatest: String(batch) },
      },
    ],
  };
}
