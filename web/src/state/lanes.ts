// SPDX-License-Identifier: Apache-2.0
// The lanes of the timeline from jobs, stages and tasks.
import { runningTasks, sweep } from '../analysis/time/concurrency.ts';
import { activityOf } from '../analysis/flame/frame_shares.ts';
import { eventOf, executorMask, hasJob, stagesOfJobs, taskMask, type SampleFilter } from '../analysis/selection.ts';
import { isLost } from '../analysis/time/time_marks.ts';
import { classOf, frameClasses, hexOf } from '../charts/flame/colors.ts';
import { barColor } from '../charts/timeline/palette.ts';
import { packIntervals } from '../charts/timeline/pack.ts';
import type { Density, Lane } from '../charts/timeline/lanes.ts';
import type { Job, Selection, Stage } from '../data/contract.ts';
import { lasted, type Model, stageLabel } from '../data/model.ts';
import { amount } from './format.ts';

export type LaneKind = 'job' | 'stage' | 'task';
export interface DataLane extends Lane {
  kind: LaneKind;
  /** rows of the table the bars are from */
  source: ArrayLike<number>;
}

/** Executors' clocks and the driver's differ a little; a core is not two cores for that. */
const clockTolerance = 2;

interface Spans {
  source: ArrayLike<number>;
  begin: Float64Array;
  end: Float64Array;
  row: Uint16Array;
  rows: number;
}

function spans(source: number[], begin: (row: number) => number, end: (row: number) => number, gap: number): Spans {
  const begins = Float64Array.from(source, begin);
  const ends = Float64Array.from(source, end);
  return { source, begin: begins, end: ends, ...packIntervals(begins, ends, gap) };
}

/** Positions of the bars; computed once, colors are added later. */
export interface Packing {
  jobs: Spans;
  stages: Spans;
  executors: { executor: number; spans: Spans; lifetime: Lane['lifetime'] }[];
}

/** Tasks only where they are shown: there may be hundreds of thousands. */
export function packLanes(model: Model, compact: boolean): Packing {
  const { report, duration } = model;
  const spansOf = (list: (Job | Stage)[]) =>
    spans(
      list.flatMap(({ submissionTime }, row) => (submissionTime ? [row] : [])),
      (row) => model.since(list[row]!.submissionTime)!,
      (row) => (lasted(list[row]!) > 0 ? model.relative(list[row]!.completionTime!) : duration),
      0,
    );
  const [jobs, stages] = [spansOf(report.jobs), spansOf(report.stages)];
  const { tasks } = report;
  const byExecutor = new Map<number, number[]>();
  // those without tasks are idle, which is worth seeing
  if (!compact) report.executors.forEach(({ totalCores }, row) => totalCores > 0 && byExecutor.set(row, []));
  for (let task = 0; task < (compact ? 0 : tasks.taskId.length); task++) {
    const list = byExecutor.get(tasks.executor[task]!);
    if (list) list.push(task);
    else byExecutor.set(tasks.executor[task]!, [task]);
  }
  const executors = [...byExecutor]
    .sort((a, b) => a[0] - b[0])
    .map(([executor, list]) => ({
      executor,
      spans: spans(
        list,
        (task) => tasks.begin[task]!,
        (task) => (tasks.end[task]! > tasks.begin[task]! ? tasks.end[task]! : duration),
        clockTolerance,
      ),
      lifetime: lifetimeOf(model, executor),
    }));
  return { jobs, stages, executors };
}

function lifetimeOf(model: Model, row: number): Lane['lifetime'] {
  const executor = model.report.executors[row];
  if (!executor || executor.id === 'driver') return undefined;
  const to = model.since(executor.removeTime);
  return { from: model.since(executor.addTime) ?? 0, to: to ?? model.duration, lost: isLost(model, executor) };
}

const compactDensity = 28;

/** Running tasks before the cores that were there for them, or samples of the event where the data has no tasks. */
export function densityOf(model: Model, selection: Selection): Density | null {
  const mask = executorMask(model, selection);
  const tasks = runningTasks(model, mask);
  const running = density('Running tasks', tasks.time, tasks.running);
  const cores = coresOf(model, mask);
  if (running && cores.peak > 0) {
    const peak = Math.max(running.peak, cores.peak);
    return { ...running, behind: cores, peak, peakText: running.peak === peak ? running.peakText : `${running.peak}/${peak}` };
  }
  return (
    running ?? (model.report.tasks.taskId.length === 0 && model.hasSteps ? sampleDensity(model, eventOf(model, selection)?.id, mask) : null)
  );
}

function density(label: string, time: ArrayLike<number>, running: ArrayLike<number>): Density | null {
  let peak = 0;
  for (let step = 0; step < running.length; step++) peak = Math.max(peak, running[step]!);
  return peak > 0 ? { label, height: compactDensity, time, layers: [{ running }], peak, peakText: String(peak) } : null;
}

/** Cores of the executors over time. */
function coresOf(model: Model, mask: Uint8Array | null): NonNullable<Density['behind']> {
  const begins: number[] = [];
  const ends: number[] = [];
  model.report.executors.forEach(({ totalCores, addTime, removeTime }, row) => {
    if (mask && !mask[row]) return;
    for (let core = 0; core < totalCores; core++) {
      begins.push(Math.max(0, model.since(addTime) ?? 0));
      ends.push(model.since(removeTime) ?? model.duration);
    }
  });
  const { time, running } = sweep({ begins: Float64Array.from(begins).sort(), ends: Float64Array.from(ends).sort() });
  return { time, running, peak: running.reduce((most, value) => Math.max(most, value), 0) };
}

function sampleDensity({ report: { samples, bucketMs } }: Model, event: number | undefined, executors: Uint8Array | null): Density | null {
  const last = samples.bucket.reduce((most, bucket) => Math.max(most, bucket), 0);
  const counts = new Uint32Array(last + 2);
  for (let row = 0; row < samples.bucket.length; row++) {
    if (samples.event[row] === event && (!executors || executors[samples.executor[row]!]))
      counts[samples.bucket[row]!]! += samples.count[row]!;
  }
  return density(
    'Samples',
    Float64Array.from(counts, (_, bucket) => bucket * bucketMs),
    counts,
  );
}

const mostTracks = 5;
const trackHeight = 20;

/** A track for each of the executors with the most weight of the filter, in the colors of the flame graph. */
export function activityTracks(model: Model, filter: SampleFilter, unit: string, dark: boolean): Density[] {
  const { bucketMs } = model.report;
  const busiest = activityOf(model, filter, classOf, frameClasses.length)
    .sort((a, b) => b.total - a.total)
    .slice(0, mostTracks)
    .sort((a, b) => a.executor - b.executor);
  return busiest.map(({ executor, weights }) => {
    const time = weights[0]!.map((_, bucket) => bucket * bucketMs);
    // each kind stands on those before it
    for (let at = 1; at < weights.length; at++) weights[at]!.forEach((_, step, own) => (own[step]! += weights[at - 1]![step]!));
    const peak = weights.at(-1)!.reduce((most, value) => Math.max(most, value), 0);
    return {
      label: model.report.executors[executor] ? model.executorName(executor) : 'Samples',
      height: trackHeight,
      time,
      layers: weights.map((running, at) => ({ running, color: hexOf(frameClasses[at]![dark ? 'dark' : 'light']) })).reverse(),
      peak,
      peakText: unit === 'ns' ? (peak / bucketMs / 1e6).toFixed(1) : amount(peak, unit),
    };
  });
}

export function lanesOf(model: Model, packing: Packing, selection: Selection, dark: boolean, compact: boolean): DataLane[] {
  const { report } = model;
  const mask = compact ? null : taskMask(model, selection);
  const chosenExecutors = executorMask(model, selection);
  const faded = dark ? '#2b3037' : '#e4e7eb';
  const ofJobs = stagesOfJobs(model, selection);
  const stageChosen = (row: number) => {
    const stage = report.stages[row]!;
    return (
      (selection.stage === undefined ||
        (stage.stageId === selection.stage && (selection.stageAttempt ?? stage.attemptId) === stage.attemptId)) &&
      ofJobs(stage)
    );
  };
  const lanes: DataLane[] = [];
  const add = (
    kind: LaneKind,
    label: string,
    { source, begin, end, row, rows }: Spans,
    rowHeight: number,
    color: (row: number) => string,
    name: ((row: number) => string) | null,
    marked: (row: number) => boolean,
    lifetime?: Lane['lifetime'],
  ) => {
    if (rows === 0 && !lifetime) return;
    lanes.push({
      kind,
      label,
      rows: Math.max(1, rows),
      rowHeight,
      lifetime,
      begin,
      end,
      row,
      source,
      color: (bar) => color(source[bar]!),
      name: name && ((bar) => name(source[bar]!)),
      marked: (bar) => marked(source[bar]!),
    });
  };
  const stageLane = (rowHeight: number) =>
    add(
      'stage',
      'Stages',
      packing.stages,
      rowHeight,
      (row) => (stageChosen(row) ? barColor(row, dark) : faded),
      rowHeight < 12 ? null : (row) => `${stageLabel(report.stages[row]!)} ${report.stages[row]!.name}`,
      (row) => report.stages[row]!.status === 'FAILED',
    );
  if (compact) return lanes;
  const jobColor = dark ? '#3b424b' : '#d3d8df';
  add(
    'job',
    'Jobs',
    packing.jobs,
    packing.jobs.rows > 6 ? 8 : 15,
    (row) => (hasJob(selection, report.jobs[row]!) ? jobColor : faded),
    packing.jobs.rows > 6 ? null : (row) => `${report.jobs[row]!.jobId} ${report.jobs[row]!.description || report.jobs[row]!.name}`,
    (row) => report.jobs[row]!.status === 'FAILED',
  );
  stageLane(packing.stages.rows > 6 ? 8 : 15);
  const coreRows = packing.executors.reduce((sum, { spans: { rows } }) => sum + rows, 0);
  const coreHeight = Math.max(2, Math.min(9, Math.floor(110 / Math.max(1, coreRows))));
  const { tasks } = report;
  for (const { executor, spans: packed, lifetime } of packing.executors) {
    const shown = !chosenExecutors || chosenExecutors[executor] === 1;
    add(
      'task',
      model.executorName(executor),
      packed,
      coreHeight,
      (task) => (shown && (!mask || mask[task]) ? barColor(tasks.stage[task]!, dark) : faded),
      null,
      (task) => tasks.status[task] === 2,
      lifetime,
    );
  }
  return lanes;
}
