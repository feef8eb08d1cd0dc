// SPDX-License-Identifier: Apache-2.0
// The data embedded in the report, as docs/report-data.md describes it, after its columns became typed arrays.
import type { ExecutorRow, JobRow, SqlRow, StageRow, StorageRow } from './tables.ts';

export interface Frames {
  name: Uint32Array;
  file: Uint32Array;
  line: Uint32Array;
  kind: Uint8Array;
  origin: Uint8Array;
  /** row of the sources, -1 = none; absent without any */
  source?: Int32Array;
}
/** A file of source code, without secrets; `path` below the folder that was searched. */
export interface SourceFile {
  path: string;
  text: string;
}

/** Prefix tree: row 0 is the root, parent < own row. */
export interface Stacks {
  parent: Uint32Array;
  frame: Uint32Array;
}

export interface Samples {
  bucket: Uint32Array;
  event: Uint8Array;
  stack: Uint32Array;
  task: Int32Array;
  executor: Uint16Array;
  thread: Uint16Array;
  category: Uint8Array;
  state: Uint8Array;
  weight: Float64Array;
  count: Uint32Array;
  /** the operator of a plan, as its nodes have it; 0 = none; absent without plans */
  operator?: Uint32Array;
}

export interface TaskColumns {
  taskId: Int32Array;
  stage: Uint32Array;
  index: Uint32Array;
  attempt: Uint16Array;
  executor: Uint16Array;
  /** ms since the application's start */
  begin: Float64Array;
  end: Float64Array;
  status: Uint8Array;
  speculative: Uint8Array;
  locality: Uint8Array;
}
export type Tasks = TaskColumns & Record<string, ArrayLike<number>>;

export type Unit = 'ns' | 'bytes' | 'count' | 'cores' | 'share';

export interface EventType {
  id: number;
  name: string;
  unit: 'ns' | 'bytes' | 'count';
  label: string;
}

export interface Application {
  id: string;
  attempt?: string | number | null;
  name: string;
  sparkVersion: string;
  /** ms since the Unix epoch */
  startTime: number;
  endTime: number;
  master?: string;
  user?: string;
  complete: boolean;
  /** has an application end event */
  ended?: boolean;
  /** "finished, 1 job failed", "incomplete: no application end event": the words of the terminal */
  outcome: string;
  /** a profile of another tool */
  foreign?: boolean;
  /** of its executors and, of that, of its tasks, with prices */
  cost?: { total: number; tasks: number; currency: string };
}

export interface Job extends JobRow {
  /** `work` and `line`, which decode.ts joins */
  name: string;
}

/** Resources that processes of others used on one of its hosts while a stage ran; means. */
export interface Neighbor {
  host: string;
  application: string;
  user: string;
  name: string;
  processes: number;
  cores: number;
  hostCores: number;
  diskBytesPerSecond: number;
}
export interface Stage extends StageRow {
  /** `work` and `line`, which decode.ts joins */
  name: string;
  /** IDs of the stages that write its input */
  parents?: number[];
  totals: Record<string, number>;
  quantiles: Record<string, number[]>;
  /** of its tasks, with prices */
  cost?: number;
  cpuSamplesNs?: number;
  pythonWaitNs?: number;
  /** wall-clock samples of its Python workers that are on a CPU or wait for one */
  pythonRunnableNs?: number;
  /** who used most first; absent where no monitor ran, or nobody else used the hosts */
  neighbors?: Neighbor[];
}

export interface PlanMetric {
  name: string;
  value: number | null;
  unit: string;
}
export interface PlanNode {
  name: string;
  text?: string;
  metrics?: PlanMetric[];
  children?: PlanNode[];
  /** IDs of the stages whose tasks contributed to the metrics */
  stages?: number[];
  /** its number among all operators, absent for wrappers; what it cost itself, absent if unknown */
  operator?: number;
  cpuNs?: number;
  waitNs?: number;
  rowsIn?: number;
  rowsOut?: number;
  spillBytes?: number;
  /** elapsed times: by Spark's metrics, by RAPIDS, by a native engine */
  elapsedNs?: number;
  gpuNs?: number;
  nativeNs?: number;
  /** elapsed time with that of operators below it */
  inclusiveNs?: number;
  /** of an operator that an engine leaves to Spark: the engine's reason, and the time of it and of the conversions of rows beside it */
  fallback?: { reason: string; costNs?: number };
}
/** Changes by adaptive execution when the stage had ended; null = before any. */
export interface PlanVersion {
  afterStage: number | null;
  changes: string[];
}
export interface SqlExecution extends SqlRow {
  /** of its tasks, with prices */
  cost?: number;
  plan?: PlanNode | null;
  /** after the first plan */
  planVersions: PlanVersion[];
}

export interface Executor extends ExecutorRow {
  cpuSamplesNs?: number;
  processes?: number[];
  /** of all its tasks, in the page or not */
  totals?: Record<string, number>;
}
export interface Process {
  pid: number;
  role: string;
  command: string;
  executor: number;
}
export interface Thread {
  tid: number;
  name: string;
  executor: number;
  kind: 'task' | 'gc' | 'jit' | 'vm' | 'other';
}

export interface Series {
  name: string;
  unit: Unit;
  label: string;
  executor: number;
  process: number;
  /** ms since the application's start */
  time: Float64Array;
  value: Float64Array;
}

/** One selection everywhere; every member optional. */
export interface Selection {
  event?: string;
  job?: number;
  /** of jobs */
  tag?: string;
  stage?: number;
  stageAttempt?: number;
  /** a TID, several TIDs, or a set within the rest of the selection */
  task?: number | number[] | 'slowest5' | 'median';
  sql?: number;
  /** an operator of the plan of `sql`: its position in preorder */
  node?: number;
  /** what the tasks do, by the samples: a key of samplePhases */
  phase?: string;
  /** an executor's id, or "@" and a host for those of it; a leading "!" means all the others */
  executor?: string;
  /** an OS thread ID, or a complete thread name */
  thread?: number | string;
  /** ms since the application's start */
  from?: number;
  to?: number;
  search?: string;
}

/** The application's wall time without gaps, in order; each row lasts until the next one begins. */
export interface WallTime {
  /** ms since the application's start */
  begin: Float64Array;
  /** row of `phases`; 0: a passage of a stage */
  phase: Uint8Array;
  /** row, -1 = none, or one that the page does not have */
  stage: Int32Array;
  /** row of `lines`, of the driver's program; 0: unknown */
  line: Uint32Array;
  phases: string[];
  lines: string[];
}
export interface TimeSpent {
  name: string;
  ns: number;
  /** of the core time, in steps of 0.001; together 1 */
  share: number;
  estimate?: boolean;
  selection?: Selection | null;
}
/** Whom CPU time belongs to: "stage 0.0", "driver program", "JIT compiler". */
export interface CpuOwner {
  owner: string;
  kind: 'task' | 'driver' | 'background';
  cpuMs: number;
}
/** A setting that the change of a finding sets. */
export interface SettingChange {
  name: string;
  /** in the run; null = not set */
  before: string | null;
  /** the program's code sets it */
  inCode: boolean;
  /** a value, or words for one that is not known */
  after: string;
}
/** The known parts of a failure, its first cause first. */
export interface FailureStory {
  id: string;
  cause: string;
  /** `what`: ID of a failure or of a step that followed, `text` a sentence; `at`: ms since the Unix epoch */
  chain: { what: string; text: string; at: number | null; task: number | null; host: string | null }[];
}
export interface Finding {
  id: string;
  rule?: string;
  title: string;
  severity: 'high' | 'medium' | 'low';
  confidence: 'high' | 'medium' | 'low';
  what: string;
  measured?: string;
  /** of the rule */
  condition?: string;
  /** shows it */
  evidence?: Selection;
  change?: string;
  /** what the change could save; members are 0 where unknown, and the whole for a failure without a saving */
  savingMs: { low: number; likely?: number; high: number } | 0;
  /** the same as text: "9.0–13 s"; empty where it is not known */
  saving: string;
  /** with prices, and a known saving */
  savingCost?: { low: number; high: number; currency: string };
  /** saves less than 1% of the time, or no known time */
  folded?: boolean;
  /** the job, or a part of it, failed */
  isFailure?: boolean;
  /** a failure that is known */
  failure?: FailureStory;
  /** ID of the more important finding that saves the same time */
  overlaps?: string;
  settings?: SettingChange[];
  /** a pattern of the code before and after the change */
  example?: { before: string; after: string };
  /** other explanations, with the measurement that excludes each */
  ruledOut?: string[];
  /** IDs, the largest gain first */
  stages?: number[];
  /** lines of code */
  frames?: string[];
}
/** A user's function in Python workers, with all that it called. */
export interface Udf {
  name: string;
  file: string;
  line: number;
  evalType: string;
  stages: number[];
  cpuNs: number;
  wallNs: number;
  samples: number;
  /** returned rows, if the SQL plan has them */
  rows?: number;
}
/** Time of a stage's task threads, ns, by what they and their Python workers did. */
export interface StageWaits {
  stageId: number;
  jvmBusyPythonBusy: number;
  jvmBusyPythonWaiting: number;
  jvmWaitingPythonBusy: number;
  bothWaiting: number;
  words: string;
}
export interface Metric {
  name: string;
  label: string;
  unit: Unit;
}
export interface EnvironmentEntry {
  name: string;
  value: string;
  section: string;
}
export interface Notice {
  time?: number;
  level: string;
  text: string;
}

/** Records of text logs, in order of time; texts are bytes of `text`, each from the end of the one before. */
export interface LogColumns {
  /** ms since the application's start; those without a time have that of the record before */
  time: Float64Array;
  level: Uint8Array;
  executor: Int32Array;
  source: Uint32Array;
  line: Uint32Array;
  template: Uint32Array;
  end: Uint32Array;
}
export interface LogTemplate {
  text: string;
  count: number;
  first: number;
  last: number;
  levels: Record<string, number>;
}
export interface LogError {
  fingerprint: string;
  level: string;
  message: string;
  exception: string | null;
  rootCause: string | null;
  stack: string;
  count: number;
  first: number | null;
  last: number | null;
  where: string[];
}
/** How many records of a template fell into a bucket of time. */
export interface TemplateTimes {
  bucketMs: number;
  template: Uint32Array;
  bucket: Uint32Array;
  count: Uint32Array;
}
export interface Logs {
  sources: string[];
  levels: string[];
  records: LogColumns;
  text: Uint8Array;
  templates: LogTemplate[];
  templateTimes: TemplateTimes;
  errors: LogError[];
  /** omitted data, as a sentence; empty = none */
  dropped: string;
}

/** Class histograms of JVMs, of each JVM in order of time. */
export interface Heap {
  classes: string[];
  /** sums over all classes; time in ms since the Unix epoch */
  summaries: { time: number; executor: number; pauseMs: number; instances: number; bytes: number }[];
  /** the largest classes of each summary */
  rows: { summary: Uint32Array; class: Uint32Array; instances: Float64Array; bytes: Float64Array };
}

/** An RDD, or the rows of a DataFrame, that the program keeps. */
export interface StoredRdd extends StorageRow {
  /** after changes; absent where the log has no updates of blocks, and then the peaks are not known either */
  stored?: { time: Float64Array; partitions: Uint32Array; memoryBytes: Float64Array; diskBytes: Float64Array };
}

export interface StreamingQuery {
  id: string;
  runId: string;
  name: string;
  startTime: number;
  endTime: number;
  failure: string;
}
/** Triggers of streaming queries; -1 in the last two: unknown. */
export interface StreamingBatches {
  query: Int32Array;
  id: Float64Array;
  /** ms since the application's start */
  time: Float64Array;
  durationNs: Float64Array;
  inputRows: Float64Array;
  inputRowsPerSecond: Float64Array;
  processedRowsPerSecond: Float64Array;
  stateRows: Float64Array;
  stateBytes: Float64Array;
  offsetsBehind: Float64Array;
  watermarkDelayNs: Float64Array;
}
export interface Streaming {
  queries: StreamingQuery[];
  batches: StreamingBatches;
  phases: { name: string; durationNs: Float64Array }[];
  /** omitted batches, as a sentence; empty = none */
  dropped: string;
}

export interface SampleCoverage {
  count: number;
  weight: number;
  onTaskThreads: number;
  joined: number;
  lost: number;
}
export interface Summary {
  lines?: string[];
  /** the answer in one line */
  verdict?: string;
  counts?: Record<string, number>;
  samples?: Record<string, Partial<SampleCoverage>>;
  complete?: boolean;
}

export interface Report {
  version: number;
  generator: string;
  application: Application;
  summary: Summary;
  strings: string[];
  frames: Frames;
  stacks: Stacks;
  /** absent without source code */
  sources?: SourceFile[];
  threads: Thread[];
  samples: Samples;
  bucketMs: number;
  events: EventType[];
  jobs: Job[];
  stages: Stage[];
  tasks: Tasks;
  metrics: Metric[];
  sql: SqlExecution[];
  executors: Executor[];
  processes: Process[];
  series: Series[];
  wall: WallTime;
  timeSpent: TimeSpent[];
  owners: CpuOwner[];
  /** of the CPU time of all processes; null where that is unknown */
  ownedShare: number | null;
  findings: Finding[];
  /** what the rules of findings were not applied to; applied: false = to nothing */
  rules?: { applied: boolean; checked?: number; notChecked: { what: string; reason: string }[] };
  udfs: Udf[];
  /** of all Python workers */
  pythonCpuNs?: number;
  waits: StageWaits[];
  environment: EnvironmentEntry[];
  notices: Notice[];
  dropped: { coarser?: string };
  /** of all tasks, where the page does not have them all or they are many */
  concurrency?: { time: Float64Array; running: Uint32Array; timeAt: Float64Array } | null;
  /** absent when there were no heap summaries */
  heap?: Heap | null;
  /** text logs; absent when there were none */
  logs?: Logs | null;
  /** absent when the program keeps nothing */
  storage?: StoredRdd[];
  /** absent without streaming queries */
  streaming?: Streaming | null;
  /** The tab to open with when the address names none. */
  startTab?: string;
  startView?: string;
}

export const frameKinds = ['other', 'jit', 'interpreted', 'inlined', 'native', 'kernel', 'python', 'synthetic'];
export const frameOrigins = ['library', 'user’s code', 'Spark', 'JDK and Scala', 'Python runtime', 'GC, JIT, VM'];
export const enum Kind {
  Jit = 1,
  Interpreted,
  Inlined,
  Native,
  Kernel,
  Python,
  Synthetic,
}
export const enum Origin {
  Library,
  User,
  Spark,
  Jdk,
  PythonRuntime,
  Vm,
}
export const enum Category {
  None,
  Task,
  TaskRuntime,
  IdlePool,
}
export const enum ThreadState {
  Unknown,
  Running,
  Sleeping,
}
export const taskStatuses = ['running', 'succeeded', 'failed', 'killed'];
export const localities = ['process', 'node', 'no preference', 'rack', 'any'];
