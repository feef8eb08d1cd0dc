// SPDX-License-Identifier: Apache-2.0
// The wall time without gaps, as the command books it: passages of stages, and what the driver did between them.
import type { Model } from '../../data/model.ts';

/** ms since the application's start */
export interface WallSpan {
  begin: number;
  end: number;
  phase: string;
  /** row of the stage; -1: of none, or of one that the page does not have */
  stage: number;
  /** of the driver's program, where samples have it */
  line: string;
}

interface WallPhase {
  label: string;
  /** where there is no room for the label */
  short: string;
  /** what it means */
  detail: string;
  /** of the command */
  part: string;
}

export const stagePhase = 'stage';
const lastPhase = 'shutdown';
/** ms */
const longestShutdown = 1000;
const programPhase = 'program';

/** Phases in which no stage runs, by the id of their color, in the order of a run. */
export const wallPhases: Record<string, WallPhase> = {
  startUp: { label: 'Start of JVM and Spark', short: 'Start', detail: 'until the first executor can work', part: 'start-up' },
  executorWait: { label: 'Waiting for executors', short: 'Waiting', detail: 'no executor is there', part: 'waiting for executors' },
  program: { label: 'Driver program', short: 'Program', detail: 'your code, no job and no query runs', part: 'driver program' },
  planning: {
    label: 'Planning',
    short: 'Planning',
    detail: 'a query without a job: planning, adaptive execution, broadcasts or commit',
    part: 'query without a job',
  },
  sink: { label: 'Stream’s sink', short: 'Sink', detail: 'a batch without a job', part: '' },
  job: { label: 'Job without a task', short: 'Job', detail: 'scheduling or results', part: 'job without a task' },
  pause: {
    label: 'Pauses between batches',
    short: 'Pause',
    detail: 'the stream’s trigger, or no new rows',
    part: "pauses between a stream's batches",
  },
  shutdown: { label: 'Shutdown', short: 'Shutdown', detail: 'after the last job', part: '' },
  unknown: { label: 'Unknown: no data of the driver', short: 'Unknown', detail: '', part: 'unknown' },
};

const phaseOfPart = new Map(Object.entries(wallPhases).map(([id, { part }]) => [part, id]));
const phaseOf = (part: string) => (part === stagePhase ? stagePhase : (phaseOfPart.get(part) ?? 'unknown'));

const isOfStage = ({ phase }: WallSpan) => phase === stagePhase;

const known = new WeakMap<Model, WallSpan[]>();

/** In order of time; together the duration. Empty where the account knows nothing of the time. */
export function wallSpans(model: Model): WallSpan[] {
  const before = known.get(model);
  if (before) return before;
  const { wall, streaming } = model.report;
  const { begin, phase, stage, line, phases, lines } = wall;
  const driverPhase = (id: string) => (id === 'planning' && streaming?.batches.id.length ? 'sink' : id);
  const spans = Array.from(
    begin,
    (from, row): WallSpan => ({
      begin: from,
      end: begin[row + 1] ?? Math.max(from, model.duration),
      phase: driverPhase(phaseOf(phases[phase[row]!] ?? '')),
      stage: stage[row]!,
      line: lines[line[row]!] ?? '',
    }),
  );
  const last = spans.at(-1);
  // what lasts longer is still the program, as the verdict counts it
  if (last?.phase === programPhase && !last.line && last.end - last.begin <= longestShutdown && spans.some(isOfStage))
    last.phase = lastPhase;
  known.set(model, spans);
  return spans;
}

/** The wall time of each stage, ns, in a range of time: what the run waited for it. */
export function wallOfStages(model: Model, from = 0, to = Infinity): number[] {
  const sums = new Float64Array(model.report.stages.length);
  for (const span of wallSpans(model)) if (span.stage >= 0) sums[span.stage]! += within(span, from, to);
  return [...sums];
}

/** The wall time of each phase, ns, in a range of time. */
export function wallOfPhases(model: Model, from = 0, to = Infinity): Map<string, number> {
  const sums = new Map<string, number>();
  for (const span of wallSpans(model)) sums.set(span.phase, (sums.get(span.phase) ?? 0) + within(span, from, to));
  return sums;
}

/** ns of a span within a range in ms */
export const within = ({ begin, end }: { begin: number; end: number }, from: number, to: number) =>
  1e6 * Math.max(0, Math.min(end, to) - Math.max(begin, from));
