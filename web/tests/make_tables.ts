// SPDX-License-Identifier: Apache-2.0
// The tables of the test data that do not depend on samples.
import type { EnvironmentEntry, Finding, Job, Metric, PlanNode, SqlExecution } from '../src/data/contract.ts';

const metric = (name: string, label: string, unit: Metric['unit']): Metric => ({ name, label, unit });

export const metrics: Metric[] = [
  metric('durationNs', 'Duration', 'ns'),
  metric('executorRunTimeNs', 'Run time', 'ns'),
  metric('executorCpuTimeNs', 'CPU', 'ns'),
  metric('deserializeTimeNs', 'Deserialize', 'ns'),
  metric('deserializeCpuTimeNs', 'Deserialize CPU', 'ns'),
  metric('gcTimeNs', 'GC', 'ns'),
  metric('resultSerializationTimeNs', 'Serialize result', 'ns'),
  metric('gettingResultTimeNs', 'Get result', 'ns'),
  metric('schedulerDelayNs', 'Scheduler delay', 'ns'),
  metric('resultSizeBytes', 'Result', 'bytes'),
  metric('peakExecutionMemoryBytes', 'Peak memory', 'bytes'),
  metric('memorySpilledBytes', 'Spilled (memory)', 'bytes'),
  metric('diskSpilledBytes', 'Spilled (disk)', 'bytes'),
  metric('inputBytes', 'Input', 'bytes'),
  metric('inputRecords', 'Input records', 'count'),
  metric('outputBytes', 'Output', 'bytes'),
  metric('outputRecords', 'Output records', 'count'),
  metric('shuffleReadBytes', 'Shuffle read', 'bytes'),
  metric('shuffleReadRecords', 'Shuffle read records', 'count'),
  metric('shuffleFetchWaitNs', 'Fetch wait', 'ns'),
  metric('shuffleWriteBytes', 'Shuffle write', 'bytes'),
  metric('shuffleWriteRecords', 'Shuffle write records', 'count'),
  metric('shuffleWriteTimeNs', 'Shuffle write time', 'ns'),
  metric('cpuSamplesNs', 'CPU sampled', 'ns'),
];

export const findings: Finding[] = [
  {
    id: 'skew',
    rule: 'skew',
    title: 'Stage 3 waits for two slow tasks',
    severity: 'high',
    confidence: 'high',
    what: 'Two of 40 tasks run 9.8 s, the median 0.8 s. They read 13 times as much shuffle data as the others and spill to disk.',
    measured: 'The slowest 5% run 10 times as long as the median.',
    evidence: { event: 'cpu', stage: 3, stageAttempt: 0, task: 'slowest5' },
    change: 'Set spark.sql.adaptive.skewJoin.enabled=true, or salt the key customer_id.',
    settings: [{ name: 'spark.sql.adaptive.skewJoin.enabled', before: 'false', inCode: false, after: 'true' }],
    ruledOut: ['Garbage collection: 4.3% of task time', 'Failed tasks: none'],
    savingMs: { low: 4100, high: 8200 },
    saving: '4.1–8.2 s',
  },
  {
    id: 'python-wait',
    title: 'Stage 4 spends 72% of its task time waiting for Python',
    severity: 'medium',
    confidence: 'high',
    what: 'score() runs row-wise code in Python workers while the JVM waits.',
    measured: '17.9 s of 23.8 s are under [waiting for Python].',
    evidence: { event: 'wall', stage: 4, stageAttempt: 0, search: 'score' },
    change: 'Vectorise normalize() (demo_job.py:29) with NumPy.',
    example: {
      before: '@udf("long")\ndef f(x):\n    return work(x)',
      after: '@pandas_udf("long")\ndef f(x: pd.Series) -> pd.Series:\n    return work(x)',
    },
    frames: ['normalize (demo_job.py:29)'],
    savingMs: { low: 0, high: 3100 },
    saving: 'up to 3.1 s',
  },
  {
    id: 'idle',
    title: 'Cores idle for a third of the run',
    severity: 'low',
    confidence: 'medium',
    what: 'Stages 0 and 5 have one task each.',
    evidence: { stage: 5 },
    change: 'Read the tables in one job.',
    savingMs: { low: 0, high: 0 },
    saving: '',
  },
];

export const environment: EnvironmentEntry[] = [
  ['Spark, changed from the default', 'spark.executor.cores', '2'],
  ['Spark, changed from the default', 'spark.executor.memory', '512m'],
  ['Spark, changed from the default', 'spark.sql.adaptive.skewJoin.enabled', 'false'],
  ['Spark, changed from the default', 'spark.sql.shuffle.partitions', '40'],
  ['Spark, set to the default', 'spark.sql.adaptive.enabled', 'true'],
  ['Spark, of this run', 'spark.app.name', 'demo_job'],
  ['Java', 'java.version', '17.0.13'],
  ['Java', 'java.vm.name', 'OpenJDK 64-Bit Server VM'],
  ['Java', 'user.timezone', 'Etc/UTC'],
  ['Machine', 'cores', '4'],
  ['Machine', 'memory', '16 GiB'],
  ['Profiler', 'spark.plugins', 'org.sparkprof.SparkProfPlugin'],
  ['Profiler', 'events', 'cpu,wall,alloc,lock'],
  ['Profiler', 'cpuInterval', '20 ms'],
].map(([section, name, value]) => ({ section: section!, name: name!, value: value! }));

/** `own`: number of the operator, its CPU time, waiting and rows out. */
const node = (
  name: string,
  text: string,
  values: [string, number | null, string][],
  children: PlanNode[] = [],
  stages: number[] = [],
  own?: [number, number, number, number],
): PlanNode => ({
  name,
  text,
  stages,
  metrics: values.map(([label, value, unit]) => ({ name: label, value, unit })),
  children,
  ...(own && { operator: own[0], sampled: true, cpuNs: own[1], waitNs: own[2], rowsOut: own[3] }),
});

const joinPlan = node(
  'HashAggregate',
  'HashAggregate(keys=[region], functions=[sum(amount)])',
  [
    ['number of output rows', 25, 'count'],
    ['time in aggregation build', 9.1e9, 'ns'],
    ['peak memory', 6.7e7, 'bytes'],
  ],
  [
    node(
      'Project',
      'Project [region, discount(amount, tier) AS amount]',
      [],
      [
        node(
          'SortMergeJoin',
          'SortMergeJoin [customer_id], [id], Inner',
          [['number of output rows', 18_400_221, 'count']],
          [
            node(
              'Sort',
              'Sort [customer_id ASC NULLS FIRST], false, 0',
              [
                ['sort time', 2.3e9, 'ns'],
                ['spill size', 3.8e8, 'bytes'],
              ],
              [
                node(
                  'Exchange',
                  'Exchange hashpartitioning(customer_id, 40)',
                  [
                    ['shuffle bytes written', 4.1e8, 'bytes'],
                    ['fetch wait time', 1.2e9, 'ns'],
                  ],
                  [
                    node(
                      'Scan parquet orders',
                      'FileScan parquet [customer_id, amount]',
                      [
                        ['number of output rows', 18_400_221, 'count'],
                        ['scan time', 6.2e9, 'ns'],
                        ['size of files read', 7.8e8, 'bytes'],
                      ],
                      [],
                      [1],
                    ),
                  ],
                  [1, 3],
                ),
              ],
            ),
            node(
              'Sort',
              'Sort [id ASC NULLS FIRST], false, 0',
              [['sort time', 1.1e8, 'ns']],
              [
                node(
                  'Exchange',
                  'Exchange hashpartitioning(id, 40)',
                  [['shuffle bytes written', 5.2e7, 'bytes']],
                  [
                    node(
                      'Scan parquet customers',
                      'FileScan parquet [id, region, tier]',
                      [
                        ['number of output rows', 1_200_000, 'count'],
                        ['scan time', 1.4e9, 'ns'],
                      ],
                      [],
                      [2],
                    ),
                  ],
                  [2, 3],
                ),
              ],
            ),
          ],
          [3],
        ),
      ],
    ),
  ],
  [3],
  [1, 4.2e9, 0.3e9, 25],
);

export function sqlExecutions(start: number, jobs: Job[]): SqlExecution[] {
  const of = (sql: number) => jobs.filter((job) => job.sqlExecutionId === sql);
  const one = (id: number, description: string, plan: PlanNode): SqlExecution => ({
    id,
    description,
    status: 'COMPLETED',
    plan,
    runningJobIds: [],
    successJobIds: of(id).map((job) => job.jobId),
    failedJobIds: [],
    errorMessage: '',
    planVersions: [],
    submissionTime: Math.min(start + 60_000, ...of(id).map((job) => job.submissionTime!)) - 100,
    completionTime: Math.max(...of(id).map((job) => job.completionTime!)) + 30,
  });
  return [
    {
      ...one(0, 'join and aggregate at demo_job.py:31', joinPlan),
      planVersions: [{ afterStage: 2, changes: ['+ AQEShuffleRead coalesced (2×)'] }],
    },
    one(
      1,
      'collect at demo_job.py:52',
      node(
        'ArrowEvalPython',
        'ArrowEvalPython [score(amount)]',
        [
          ['data sent to Python workers', 2.2e8, 'bytes'],
          ['data returned', 3.1e7, 'bytes'],
          ['number of output rows', 900_000, 'count'],
        ],
        [joinPlan],
      ),
    ),
    one(2, 'count at demo_job.py:57', {
      ...node('HashAggregate', 'HashAggregate(keys=[], functions=[count(1)])', [['number of output rows', null, 'count']]),
      operator: 1,
      inclusiveNs: 2e9,
      fallback: { reason: 'the collation is not supported', costNs: 1.5e9 },
    }),
  ];
}
