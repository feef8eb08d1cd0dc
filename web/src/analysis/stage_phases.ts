// SPDX-License-Identifier: Apache-2.0
// What the time of a stage's tasks went to: from wall-clock samples where there are any, else from Spark's own metrics.
import { ThreadState, type Stage } from '../data/contract.ts';
import type { Model } from '../data/model.ts';
import { Place, placesOf } from './sample_phases.ts';

/** A part of a stage's task time; ns. */
export interface PhaseTime {
  phase: string;
  ns: number;
}

export interface StagePhases {
  parts: PhaseTime[];
  whole: number;
  /** from wall-clock samples, which know Python and waits for a CPU */
  sampled: boolean;
}

/** In the order in which they are drawn. */
export const phaseLabels: Record<string, string> = {
  jvm: 'JVM CPU',
  engine: 'Native engine CPU',
  python: 'Python CPU',
  pythonWait: 'Python waiting',
  cpuWait: 'Waiting for a CPU',
  gc: 'GC',
  fetch: 'Shuffle wait',
  write: 'Shuffle write',
  lock: 'Waiting for locks',
  other: 'Disk, network and other waits',
  deserialize: 'Deserialization',
  result: 'Sending the result',
  scheduler: 'Scheduler delay',
};

/** Sums of the samples of a stage's tasks, or of one task, in the JVM and below it in Python. */
interface SampleSums {
  wall: number;
  runnable: number;
  cpu: number;
  engineCpu: number;
  pythonWall: number;
  pythonCpu: number;
  lock: number;
}

/** Buckets of samples, the end excluded. */
interface Buckets {
  from: number;
  to: number;
}

/** By `keyOf` of the sample's task (a row); tasks with a negative key are left out. */
function sumSamples(
  model: Model,
  keyOf: (task: number) => number,
  { from, to }: Buckets = { from: 0, to: Infinity },
): Map<number, SampleSums> {
  const { report, nodeOfStack } = model;
  const { samples, events } = report;
  const id = (name: string) => events.find((event) => event.name === name)?.id ?? -1;
  const [cpu, wall, lock] = [id('cpu'), id('wall'), id('lock')];
  const places = placesOf(model);
  const sums = new Map<number, SampleSums>();
  for (let row = 0; row < samples.event.length; row++) {
    const task = samples.task[row]!;
    const event = samples.event[row];
    if (task < 0 || (event !== cpu && event !== wall && event !== lock)) continue;
    if (samples.bucket[row]! < from || samples.bucket[row]! >= to) continue;
    const key = keyOf(task);
    if (key < 0) continue;
    let own = sums.get(key);
    if (!own) sums.set(key, (own = { wall: 0, runnable: 0, cpu: 0, engineCpu: 0, pythonWall: 0, pythonCpu: 0, lock: 0 }));
    const weight = samples.weight[row]!;
    const place = places[nodeOfStack[samples.stack[row]!]!]!;
    const python = !!(place & Place.Python);
    if (event === lock) own.lock += weight;
    else if (event === cpu) own[python ? 'pythonCpu' : place & Place.Engine ? 'engineCpu' : 'cpu'] += weight;
    else {
      own.wall += weight;
      if (python) own.pythonWall += weight;
      else if (samples.state[row] === ThreadState.Running) own.runnable += weight;
    }
  }
  return sums;
}

/** Hands out a time, part by part, never more than is left. */
function split(whole: number, wanted: [string, number][], rest: string): PhaseTime[] {
  let left = whole;
  const parts = wanted.map(([phase, ns]) => {
    const own = Math.max(0, Math.min(left, ns));
    left -= own;
    return { phase, ns: own };
  });
  parts.push({ phase: rest, ns: left });
  const order = Object.keys(phaseLabels);
  return parts.filter(({ ns }) => ns > 0).sort((a, b) => order.indexOf(a.phase) - order.indexOf(b.phase));
}

/** The JVM's thread sleeps while its Python worker or native engine runs: the samples of that one tell whether it had a CPU. */
function fromSamples(own: SampleSums, pythonRunnableNs: number, at: (metric: string) => number): StagePhases {
  const python = Math.min(own.pythonCpu, own.pythonWall);
  const pythonCpuWait = Math.max(0, Math.min(own.pythonWall, pythonRunnableNs) - python);
  const cpu = Math.min(own.cpu, own.runnable);
  const parts = split(
    own.wall,
    [
      ['jvm', cpu],
      ['python', python],
      ['cpuWait', own.runnable - cpu + pythonCpuWait],
      ['pythonWait', own.pythonWall - python - pythonCpuWait],
      ['gc', at('gcTimeNs')],
      ['fetch', at('shuffleFetchWaitNs')],
      ['lock', own.lock],
      ['engine', own.engineCpu],
    ],
    'other',
  );
  return { parts, whole: own.wall, sampled: true };
}

/** `own`: few samples, which still tell of waits that Spark does not measure, as the cost of the whole run has them. */
function fromMetrics({ totals, pythonRunnableNs = 0 }: Stage, own: SampleSums | undefined): StagePhases {
  const at = (metric: string) => Math.max(0, totals[metric] ?? 0);
  const run = at('executorRunTimeNs');
  const parts = split(
    run,
    [
      ['jvm', at('executorCpuTimeNs')],
      ['gc', at('gcTimeNs')],
      ['fetch', at('shuffleFetchWaitNs')],
      ['write', at('shuffleWriteTimeNs')],
      ['python', own?.pythonCpu ?? 0],
      ['cpuWait', own ? Math.max(0, own.runnable - own.cpu) + Math.max(0, pythonRunnableNs - own.pythonCpu) : 0],
      ['lock', own?.lock ?? 0],
    ],
    'other',
  );
  for (const [phase, ns] of [
    ['deserialize', at('deserializeTimeNs')],
    ['result', at('resultSerializationTimeNs') + at('gettingResultTimeNs')],
    ['scheduler', at('schedulerDelayNs')],
  ] as const)
    if (ns > 0) parts.push({ phase, ns });
  return { parts, whole: parts.reduce((sum, { ns }) => sum + ns, 0), sampled: false };
}

/** Samples that cover less than this part of the run time do not show all that a stage did. */
const enough = 0.5;

const known = new WeakMap<Model, StagePhases[]>();

/** One for each stage of the report. */
export function phasesOfStages(model: Model): StagePhases[] {
  const before = known.get(model);
  if (before) return before;
  const { stages, tasks } = model.report;
  const sums = sumSamples(model, (task) => tasks.stage[task]!);
  const phases = stages.map((stage, row) => {
    const own = sums.get(row);
    const samplesTell = own && own.wall > 0 && own.wall >= enough * (stage.totals.executorRunTimeNs ?? 0);
    return samplesTell ? fromSamples(own, stage.pythonRunnableNs ?? 0, (metric) => stage.totals[metric] ?? 0) : fromMetrics(stage, own);
  });
  known.set(model, phases);
  return phases;
}

/**
 * The phases of each stage in the buckets of a range of time, where `shares` of its task time are: from the samples of the range, else, as
 * metrics have no time, as in the whole stage.
 */
export function phasesInTime(model: Model, from: number, to: number, shares: ArrayLike<number>): StagePhases[] {
  const { stages, tasks, bucketMs } = model.report;
  const sums = sumSamples(model, (task) => tasks.stage[task]!, { from: Math.floor(from / bucketMs), to: Math.ceil(to / bucketMs) });
  return phasesOfStages(model).map((all, row) => {
    const own = all.sampled ? sums.get(row) : undefined;
    const part = shares[row]!;
    if (own && own.wall > 0)
      return fromSamples(own, part * (stages[row]!.pythonRunnableNs ?? 0), (metric) => part * (stages[row]!.totals[metric] ?? 0));
    return { ...all, whole: all.whole * part, parts: all.parts.map(({ phase, ns }) => ({ phase, ns: ns * part })) };
  });
}

/** The phase that most of each task's time went to, by samples; tasks (rows) of the stage without samples are left out. */
export function mainPhasesOfTasks(model: Model, stage: number): Map<number, string> {
  const { stages, tasks } = model.report;
  const sums = sumSamples(model, (task) => (tasks.stage[task] === stage ? task : -1));
  const python = [...sums.values()].reduce((sum, { pythonWall }) => sum + pythonWall, 0);
  // known of the stage only
  const runnable = python > 0 ? (stages[stage]!.pythonRunnableNs ?? 0) / python : 0;
  const found = new Map<number, string>();
  for (const [task, own] of sums) {
    const { parts } = fromSamples(own, runnable * own.pythonWall, (metric) => tasks[metric]?.[task] ?? 0);
    if (parts.length > 0) found.set(task, parts.reduce((a, b) => (b.ns > a.ns ? b : a)).phase);
  }
  return found;
}
