// SPDX-License-Identifier: Apache-2.0
// A made-up recording of a small PySpark job: two executors with two cores, a skewed join, a Python UDF, samples of
// four events. Everything follows from a seeded generator, so that each run gives the same page.
import type { Report, Stage, Tasks } from '../src/data/contract.ts';
import { emptyExecutor } from '../src/data/decode.ts';
import { demoHeap } from './make_heap.ts';
import { demoLogs } from './make_logs.ts';
import { demoStorage, demoStreaming, withSources } from './make_storage.ts';
import { FrameBook, framesOfStage, gcStack, idleStack } from './make_stacks.ts';
import { environment, findings, metrics, sqlExecutions } from './make_tables.ts';

export function generator(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return state / 2 ** 32;
  };
}

interface Plan {
  name: string;
  job: number;
  sql: number;
  tasks: number;
  seconds: number;
  skew: number;
  python: number;
  gc: number;
}

const plans: Plan[] = [
  { name: 'parquet at demo_job.py:18', job: 0, sql: -1, tasks: 1, seconds: 0.6, skew: 0, python: 0, gc: 0.02 },
  { name: 'Scan parquet orders', job: 1, sql: 0, tasks: 8, seconds: 1.6, skew: 0.2, python: 0, gc: 0.05 },
  { name: 'Scan parquet customers', job: 1, sql: 0, tasks: 4, seconds: 0.9, skew: 0.1, python: 0, gc: 0.04 },
  { name: 'SortMergeJoin, HashAggregate at demo_job.py:31', job: 1, sql: 0, tasks: 40, seconds: 0.7, skew: 14, python: 0, gc: 0.11 },
  { name: 'ArrowEvalPython score at demo_job.py:44', job: 2, sql: 1, tasks: 24, seconds: 0.9, skew: 0.4, python: 0.72, gc: 0.03 },
  { name: 'collect at demo_job.py:52', job: 2, sql: 1, tasks: 1, seconds: 0.5, skew: 0, python: 0, gc: 0.02 },
  { name: 'count at demo_job.py:57', job: 3, sql: 2, tasks: 12, seconds: 0.5, skew: 0.6, python: 0, gc: 0.02 },
];

const startTime = Date.UTC(2026, 10, 21, 9, 30, 0);
const bucketMs = 1000;
const cores = 2;

export function demoReport(): Report {
  const random = generator(7);
  const book = new FrameBook();
  const taskRows: Record<string, number[]> = {};
  const put = (name: string, value: number) => (taskRows[name] ??= []).push(value);
  const slots = [
    [0, 0],
    [0, 0],
  ];
  const stages: Stage[] = [];
  const threads: Report['threads'] = [];
  for (let executor = 0; executor < 3; executor++) {
    for (let core = 0; core < cores; core++) {
      threads.push({
        tid: 4000 + executor * 100 + core,
        name: executor === 0 ? `main-${core}` : `Executor task launch worker-${core}`,
        executor,
        kind: executor === 0 ? 'other' : 'task',
      });
    }
    threads.push({ tid: 4090 + executor * 100, name: 'G1 Conc#0', executor, kind: 'gc' });
  }
  const samples = new Map<string, number[]>();
  const sample = (
    bucket: number,
    event: number,
    stack: number,
    task: number,
    executor: number,
    thread: number,
    category: number,
    weight: number,
  ) => {
    const key = [bucket, event, stack, task, executor, thread, category].join();
    const row = samples.get(key) ?? samples.set(key, [bucket, event, stack, task, executor, thread, category, 0, 0]).get(key)!;
    row[7]! += weight;
    row[8]! += 1;
  };
  let tid = 0;
  let clock = 2200;
  for (const [id, plan] of plans.entries()) {
    const submit = id === 2 ? stages[1]!.submissionTime! - startTime : clock + 180;
    for (const slot of slots) for (let core = 0; core < cores; core++) slot[core] = Math.max(slot[core]!, submit);
    const durations: number[] = [];
    const sums: Record<string, number> = {};
    const columns: Record<string, number[]> = {};
    let end = submit;
    let sampled = 0;
    let waited = 0;
    const stacks = framesOfStage(book, id, plan.python > 0);
    for (let index = 0; index < plan.tasks; index++) {
      const executor = slots[0]![0]! + slots[0]![1]! <= slots[1]![0]! + slots[1]![1]! ? 0 : 1;
      const core = slots[executor]![0]! <= slots[executor]![1]! ? 0 : 1;
      const straggler = plan.skew > 2 && (index === 5 || index === 17);
      const length = plan.seconds * 1000 * (straggler ? plan.skew : 0.75 + random() * Math.min(plan.skew, 0.8) + random() * 0.3);
      const begin = slots[executor]![core]! + 4 + random() * 9;
      const failed = id === 6 && index === 3;
      slots[executor]![core] = begin + length;
      end = Math.max(end, begin + length);
      const row = tid++;
      const ns = length * 1e6;
      const cpu = ns * (plan.python ? 1 - plan.python : 0.86);
      put('taskId', row);
      put('stage', id);
      put('index', index);
      put('attempt', 0);
      put('executor', executor + 1);
      put('begin', begin);
      put('end', begin + length);
      put('status', failed ? 2 : 1);
      put('speculative', 0);
      put('locality', index % 3 === 0 ? 1 : 0);
      const values: Record<string, number> = {
        durationNs: ns,
        executorRunTimeNs: ns * 0.98,
        executorCpuTimeNs: cpu,
        deserializeTimeNs: 9e6 * random(),
        deserializeCpuTimeNs: 5e6 * random(),
        gcTimeNs: ns * plan.gc,
        resultSerializationTimeNs: 1e6 * random(),
        gettingResultTimeNs: 0,
        schedulerDelayNs: 4e6 + 9e6 * random(),
        resultSizeBytes: 2200 + random() * 900,
        peakExecutionMemoryBytes: id === 3 ? 6.4e7 * (straggler ? 5 : 1) : 1.2e6,
        memorySpilledBytes: straggler ? 7.3e8 : 0,
        diskSpilledBytes: straggler ? 1.9e8 : 0,
        inputBytes: id < 3 || id === 6 ? length * 61_000 : 0,
        inputRecords: id < 3 || id === 6 ? length * 900 : 0,
        outputBytes: 0,
        outputRecords: 0,
        shuffleReadBytes: id >= 3 && id < 6 ? length * 42_000 : 0,
        shuffleReadRecords: id >= 3 && id < 6 ? length * 800 : 0,
        shuffleFetchWaitNs: id === 3 ? ns * 0.04 : 0,
        shuffleWriteBytes: id >= 1 && id < 4 ? length * 30_000 : 0,
        shuffleWriteRecords: id >= 1 && id < 4 ? length * 700 : 0,
        shuffleWriteTimeNs: id >= 1 && id < 4 ? ns * 0.03 : 0,
        cpuSamplesNs: 0,
      };
      const thread = (executor + 1) * (cores + 1) + core;
      let own = 0;
      for (let at = begin; at < begin + length; at += 20) {
        const bucket = Math.floor(at / bucketMs);
        const waiting = random() < plan.python;
        const pick = stacks.pick(random, straggler, waiting);
        sample(bucket, 2, pick, row, executor + 1, thread, 1, 20e6);
        if (waiting) waited += 20e6;
        if (!waiting && random() < 0.88) {
          sample(bucket, 1, pick, row, executor + 1, thread, 1, 20e6);
          own += 20e6;
        }
        if (random() < 0.12) sample(bucket, 3, pick, row, executor + 1, thread, 1, Math.round(random() * 4e6));
        if (straggler && random() < 0.05) sample(bucket, 4, pick, row, executor + 1, thread, 1, random() * 3e6);
      }
      values.cpuSamplesNs = own;
      sampled += own;
      for (const [name, value] of Object.entries(values)) {
        put(name, value);
        sums[name] = (sums[name] ?? 0) + value;
        (columns[name] ??= []).push(value);
      }
      durations.push(ns);
    }
    const quantile = (list: number[], q: number) => [...list].sort((a, b) => a - b)[Math.round(q * (list.length - 1))]!;
    stages.push({
      stageId: id,
      attemptId: 0,
      name: plan.name,
      line: plan.name,
      work: '',
      failureReason: '',
      details: `${plan.name}\norg.apache.spark.sql.Dataset.collect\ndemo_job.py`,
      status: 'COMPLETE',
      submissionTime: startTime + submit,
      completionTime: startTime + end,
      jobId: plan.job,
      ...(plan.sql >= 0 && { sqlExecutionId: plan.sql }),
      parents: id === 3 ? [1, 2] : [],
      numTasks: plan.tasks,
      numFailedTasks: id === 6 ? 1 : 0,
      numKilledTasks: 0,
      totals: sums,
      quantiles: Object.fromEntries(
        Object.entries(columns).map(([name, list]) => [name, [0, 0.25, 0.5, 0.75, 1].map((q) => quantile(list, q))]),
      ),
      cpuSamplesNs: sampled,
      pythonWaitNs: waited,
      ...(id === 3
        ? {
            neighbors: [
              {
                host: 'node-2',
                application: 'application_1_0042',
                user: 'ana',
                name: 'java',
                processes: 5,
                cores: 3.1,
                hostCores: 4,
                diskBytesPerSecond: 2.5e7,
              },
            ],
          }
        : {}),
    });
    clock = Math.max(clock, end);
  }
  const endTime = Math.ceil(clock + 900);
  for (let at = 0; at < endTime; at += 40) {
    const bucket = Math.floor(at / bucketMs);
    for (let executor = 0; executor < 3; executor++) {
      if (random() < 0.05) sample(bucket, 1, gcStack(book), -1, executor, executor * (cores + 1) + cores, 0, 20e6);
      if (random() < 0.5) sample(bucket, 2, idleStack(book), -1, executor, executor * (cores + 1), 3, 40e6);
    }
    if (at < 2200 || random() < 0.06)
      sample(
        bucket,
        1,
        book.stack([
          'java.lang.Thread.run:1:3',
          'org.apache.spark.deploy.SparkSubmit.main:1:2',
          'demo_job.py:<module>:6:1',
          'org.apache.spark.sql.SparkSession.sql:1:2',
          'org.apache.spark.sql.catalyst.parser.AbstractSqlParser.parsePlan:1:2',
        ]),
        -1,
        0,
        0,
        0,
        20e6,
      );
  }
  return assemble({ book, taskRows, stages, threads, samples: [...samples.values()].sort((a, b) => a[0]! - b[0]!), endTime });
}

/** The driver between stages, each from where the one before it ended. */
function wallOf(stages: Stage[], endTime: number): Report['wall'] {
  const phases = ['stage', 'start-up', 'waiting for executors', 'driver program', 'query without a job'];
  const rows: [begin: number, phase: number, stage: number, line: number][] = [
    [0, 1, -1, 0],
    [300, 2, -1, 0],
    [1700, 3, -1, 1],
  ];
  let now = 2400;
  const order = [...stages.keys()].sort((a, b) => stages[a]!.submissionTime! - stages[b]!.submissionTime!);
  for (const row of order) {
    const stage = stages[row]!;
    const [begin, end] = [stage.submissionTime! - startTime, stage.completionTime! - startTime];
    if (end <= now) continue;
    if (begin > now) rows.push([now, stage.sqlExecutionId === undefined ? 3 : 4, -1, 0]);
    rows.push([Math.max(now, begin), 0, row, 0]);
    now = end;
  }
  if (now < endTime) rows.push([now, 3, -1, 2]);
  return {
    begin: Float64Array.from(rows, ([begin]) => begin),
    phase: Uint8Array.from(rows, ([, phase]) => phase),
    stage: Int32Array.from(rows, ([, , stage]) => stage),
    line: Uint32Array.from(rows, ([, , , line]) => line),
    phases,
    lines: ['', 'main (demo_job.py:12)', 'main (demo_job.py:61)'],
  };
}

interface Parts {
  book: FrameBook;
  taskRows: Record<string, number[]>;
  stages: Stage[];
  threads: Report['threads'];
  samples: number[][];
  endTime: number;
}

function assemble({ book, taskRows, stages, threads, samples, endTime }: Parts): Report {
  const random = generator(11);
  const column = (at: number) => samples.map((row) => row[at]!);
  const constructors: Record<string, { from(list: number[]): ArrayLike<number> }> = {
    taskId: Int32Array,
    stage: Uint32Array,
    index: Uint32Array,
    attempt: Uint16Array,
    executor: Uint16Array,
    status: Uint8Array,
    speculative: Uint8Array,
    locality: Uint8Array,
  };
  const tasks = Object.fromEntries(
    Object.entries(taskRows).map(([name, list]) => [name, (constructors[name] ?? Float64Array).from(list)]),
  ) as unknown as Tasks;
  const jobIds = [...new Set(stages.map((stage) => stage.jobId!))];
  const jobs = jobIds.map((id) => {
    const own = stages.filter((stage) => stage.jobId === id);
    return {
      jobId: id,
      name: own.at(-1)!.name,
      line: own.at(-1)!.name,
      work: '',
      failureReason: '',
      status: 'SUCCEEDED',
      submissionTime: Math.min(...own.map((stage) => stage.submissionTime!)) - 60,
      completionTime: Math.max(...own.map((stage) => stage.completionTime!)) + 20,
      stageIds: own.map((stage) => stage.stageId),
      sqlExecutionId: own[0]!.sqlExecutionId,
      jobGroup: '',
      description: ['load tables', 'join and aggregate', 'score with a Python UDF', 'count'][id]!,
      jobTags: id === 1 ? ['session:4c1d', 'user:analyst'] : [],
    };
  });
  const series: Report['series'] = [];
  const time = Float64Array.from({ length: Math.floor(endTime / 1000) + 1 }, (_, i) => i * 1000);
  for (let executor = 0; executor < 3; executor++) {
    const busy = (ms: number) => {
      let running = 0;
      for (let i = 0; i < tasks.taskId.length; i++)
        if (tasks.executor[i] === executor && tasks.begin[i]! <= ms && tasks.end[i]! >= ms) running++;
      return running;
    };
    let heap = 120 + 40 * executor;
    const add = (name: string, unit: Report['series'][0]['unit'], label: string, value: (ms: number) => number, process = -1) =>
      series.push({ name, unit, label, executor, process, time, value: time.map(value) });
    add('process.cpu_ns', 'cores', 'CPU', (ms) => busy(ms) * (0.8 + 0.2 * random()) + (executor === 0 && ms < 4000 ? 0.9 : 0.04), executor);
    add(
      'jvm.heap_used_bytes',
      'bytes',
      'Heap used',
      (ms) => {
        heap += busy(ms) * 45 + 6;
        if (heap > 460) heap = 140 + random() * 60;
        return heap * 2 ** 20;
      },
      executor,
    );
    add('jvm.gc_time_ns', 'share', 'Time in GC', (ms) => (busy(ms) ? 0.02 + 0.12 * random() : 0), executor);
    add('process.rss_bytes', 'bytes', 'Resident memory', (ms) => (520 + Math.min(200, ms / 150) + 20 * random()) * 2 ** 20, executor);
    if (executor > 0)
      add('process.rss_bytes', 'bytes', 'Resident memory', (ms) => (ms > 21_000 ? 180 + 10 * random() : 12) * 2 ** 20, 2 + executor);
  }
  const at = startTime;
  const cpu = samples.filter((row) => row[1] === 1);
  const weight = (rows: number[][]) => rows.reduce((sum, row) => sum + row[7]!, 0);
  const joined = cpu.filter((row) => row[3]! >= 0);
  return {
    version: 1,
    generator: 'sparkprof 0.1.0 (test data)',
    application: {
      id: 'app-20261121093000-0001',
      attempt: '',
      name: 'demo_job',
      sparkVersion: '4.1.1',
      startTime: at,
      endTime: at + endTime,
      master: 'spark://demo:7077',
      user: 'demo',
      complete: true,
      outcome: 'finished',
    },
    summary: {
      verdict: '33.5 s, 40.0% of it in stage 3.0. Stage 3 waits for two slow tasks; could save 4.1–8.2 s.',
      counts: { jobs: jobs.length, stages: stages.length, tasks: tasks.taskId.length, executors: 2 },
      complete: true,
      samples: Object.fromEntries(
        ['cpu', 'wall', 'alloc', 'lock'].map((name, i) => {
          const rows = samples.filter((row) => row[1] === i + 1);
          const count = rows.reduce((sum, row) => sum + row[8]!, 0);
          const onTasks = rows.filter((row) => row[3]! >= 0).reduce((sum, row) => sum + row[8]!, 0);
          return [name, { count, weight: weight(rows), onTaskThreads: onTasks + 5, joined: onTasks, lost: i === 0 ? 3 : 0 }];
        }),
      ),
      lines: [
        `demo_job · app-20261121093000-0001 · ${(endTime / 1000).toFixed(1)} s · Spark 4.1.1 · 2 executors, 4 cores`,
        `CPU by stage: 3 (47%), 4 (18%), 1 (16%), 6 (8%)`,
        'Top frames: SortMergeJoinScanner.advancedBufferedRow 14%, UnsafeExternalSorter.insertRecord 9%, demo_job.py:score 7%',
        'JVM 78% · waiting for Python 16% · GC 6%',
        `Coverage: ${joined.length} of ${cpu.length} rows joined to a task, 3 samples lost`,
        'Overhead 0.6% of the job’s CPU',
      ],
    },
    strings: book.strings,
    ...withSources(book.frames(), book.strings),
    stacks: book.stacks(),
    threads,
    samples: {
      bucket: Uint32Array.from(column(0)),
      event: Uint8Array.from(column(1)),
      stack: Uint32Array.from(column(2)),
      task: Int32Array.from(column(3)),
      executor: Uint16Array.from(column(4)),
      thread: Uint16Array.from(column(5)),
      category: Uint8Array.from(column(6)),
      state: Uint8Array.from(column(6).map((category) => (category === 3 ? 2 : 1))),
      weight: Float64Array.from(column(7)),
      count: Uint32Array.from(column(8)),
      // the aggregate has the samples of the first tasks of its stage
      operator: Uint32Array.from(column(3), (task) => (task >= 0 && tasks.stage[task] === 3 && task % 4 === 0 ? 1 : 0)),
    },
    bucketMs,
    logs: demoLogs(tasks, at, endTime),
    heap: demoHeap(at, endTime),
    storage: demoStorage(at, endTime),
    streaming: demoStreaming(at),
    events: [
      { id: 1, name: 'cpu', unit: 'ns', label: 'CPU' },
      { id: 2, name: 'wall', unit: 'ns', label: 'Wall clock' },
      { id: 3, name: 'alloc', unit: 'bytes', label: 'Allocation' },
      { id: 4, name: 'lock', unit: 'ns', label: 'Lock wait' },
    ],
    jobs,
    stages,
    tasks,
    metrics,
    sql: sqlExecutions(at, jobs),
    executors: [
      { ...emptyExecutor, id: 'driver', host: 'demo', addTime: at + 300, cpuSamplesNs: 3.1e9, processes: [0] },
      { ...emptyExecutor, id: '1', host: 'worker-a', totalCores: cores, addTime: at + 1700, cpuSamplesNs: 4.4e10, processes: [1, 3] },
      { ...emptyExecutor, id: '2', host: 'worker-b', totalCores: cores, addTime: at + 1800, cpuSamplesNs: 4.1e10, processes: [2, 4] },
    ],
    processes: [
      { pid: 4000, role: 'driver JVM', command: 'java -Xmx1g org.apache.spark.deploy.SparkSubmit demo_job.py', executor: 0 },
      {
        pid: 4100,
        role: 'executor JVM',
        command: 'java -Xmx512m org.apache.spark.executor.CoarseGrainedExecutorBackend --executor-id 1',
        executor: 1,
      },
      {
        pid: 4200,
        role: 'executor JVM',
        command: 'java -Xmx512m org.apache.spark.executor.CoarseGrainedExecutorBackend --executor-id 2',
        executor: 2,
      },
      { pid: 4150, role: 'Python worker', command: 'python -m pyspark.daemon', executor: 1 },
      { pid: 4250, role: 'Python worker', command: 'python -m pyspark.daemon', executor: 2 },
    ],
    series,
    findings,
    udfs: [
      {
        name: 'score',
        file: '/home/demo/demo_job.py',
        line: 12,
        evalType: 'SQL_SCALAR_PANDAS_UDF',
        stages: [4],
        cpuNs: 6.1e9,
        wallNs: 7.4e9,
        samples: 740,
      },
      {
        name: '<lambda>',
        file: '/home/demo/demo_job.py',
        line: 31,
        evalType: 'SQL_BATCHED_UDF',
        stages: [4, 6],
        cpuNs: 1.2e9,
        wallNs: 1.3e9,
        samples: 130,
      },
    ],
    waits: [
      {
        stageId: 4,
        jvmBusyPythonBusy: 0.4e9,
        jvmBusyPythonWaiting: 2e9,
        jvmWaitingPythonBusy: 7.1e9,
        bothWaiting: 0.5e9,
        words: '71% Python-bound, 20% JVM-bound, 5% both wait, 4% both busy',
      },
    ],
    wall: wallOf(stages, endTime),
    timeSpent: [
      { name: 'JVM CPU', ns: 5.1e10, share: 0.464, selection: { event: 'cpu' } },
      { name: 'Python CPU', ns: 1.5e10, share: 0.137, estimate: true, selection: { stage: 4 } },
      { name: 'GC', ns: 5.2e9, share: 0.047, selection: { thread: 'G1 Conc#0' } },
      { name: 'Shuffle wait', ns: 2.1e9, share: 0.019, selection: { stage: 3 } },
      { name: 'Disk and network wait', ns: 3.4e9, share: 0.031, selection: { event: 'wall' } },
      { name: 'Scheduler', ns: 1.1e9, share: 0.01, selection: null },
      { name: 'Idle cores', ns: 3.2e10, share: 0.292, selection: null },
    ],
    owners: [
      { owner: 'stage 3.0', kind: 'task', cpuMs: 40_000 },
      { owner: 'stage 4.1', kind: 'task', cpuMs: 20_000 },
      { owner: 'JIT compiler', kind: 'background', cpuMs: 9000 },
      { owner: 'driver program', kind: 'driver', cpuMs: 3000 },
      { owner: 'query 0', kind: 'driver', cpuMs: 2000 },
      { owner: 'garbage collection', kind: 'background', cpuMs: 1500 },
      { owner: 'event bus', kind: 'background', cpuMs: 500 },
      { owner: 'heartbeats and metrics', kind: 'background', cpuMs: 300 },
      { owner: 'cleanup', kind: 'background', cpuMs: 200 },
    ],
    ownedShare: 0.991,
    environment,
    notices: [{ time: at + 2000, level: 'warning', text: 'perf events are not permitted here; CPU samples have no kernel frames' }],
    dropped: { coarser: '' },
  };
}
