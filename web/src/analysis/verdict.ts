// SPDX-License-Identifier: Apache-2.0
// The answer in one sentence: where the time is, in whose code, and what it could save.
import type { Finding, Selection, WallPart } from '../data/contract.ts';
import type { Model } from '../data/model.ts';
import { isDriver, stageRowOf, wallOfStages } from './stage_share.ts';
import { eventOfUserTime, userTime } from './user_functions.ts';

export interface Verdict {
  /** ns; of the application */
  duration: number;
  /** what most of the time is in, or what the first finding is about; `work` and `name`: what it does and where in the code */
  place: { text: string; work: string; name: string; share: number; selection: Selection } | null;
  /** the code in it, "checksum (slow_udf.py:16)", and its share of the samples there; null where no function of the user stands out */
  code: { text: string; share: number; label: number } | null;
  finding: Finding | null;
}

/** A smaller share is not where the time is. */
const smallestPlace = 0.05;
const smallestCode = 0.2;

function placeOf(model: Model, whole: number, finding: Finding | undefined): { row: number; place: Verdict['place'] } {
  const { stages, wallTime } = model.report;
  const walls = wallOfStages(model);
  const ofStage = (row: number) => {
    const { id, attempt, name: title, work = '' } = stages[row]!;
    const text = `stage ${attempt ? `${id}.${attempt}` : id}`;
    const name = work ? title.slice(work.length + 2) : title;
    return { row, place: { text, work, name, share: walls[row]! / whole, selection: { stage: id, stageAttempt: attempt } } };
  };
  // a finding about a query has the stages that it is about
  const ofFinding = (finding?.stages ?? []).map((stage) => stageRowOf(model, { stage })).filter((row) => row >= 0);
  const longest = ofFinding.reduce((most, row) => (most < 0 || walls[row]! > walls[most]! ? row : most), -1);
  const told = finding?.selection?.stage === undefined ? longest : stageRowOf(model, finding.selection);
  if (told >= 0 && walls[told]! >= smallestPlace * whole) return ofStage(told);
  const ofDriver = wallTime.filter(({ name }) => isDriver(name));
  const driver = ofDriver.reduce((sum, { ns }) => sum + ns, 0);
  const inStage = walls.reduce((most, ns) => Math.max(most, ns), 0);
  if (driver > inStage && driver >= smallestPlace * whole)
    return {
      row: -1,
      place: { text: 'the driver', work: '', name: whereOf(ofDriver, driver), share: driver / whole, selection: { executor: 'driver' } },
    };
  return inStage >= smallestPlace * whole ? ofStage(walls.indexOf(inStage)) : { row: -1, place: null };
}

/** ", mostly before the first stage" */
function whereOf(parts: WallPart[], whole: number): string {
  const most = parts.reduce((largest, part) => (part.ns > largest.ns ? part : largest));
  return most.ns > whole / 2 ? most.name.replace(/^Driver\b/, parts.length > 1 ? 'mostly' : '').trim() : 'while no stage runs';
}

/** The user's function that has most of a stage's samples, with its line where one is known. */
function codeOf(model: Model, stage: number): Verdict['code'] {
  const event = eventOfUserTime(model);
  if (!event || stage < 0) return null;
  const { functions, whole } = userTime(model, event.id, stage);
  const [first] = functions;
  if (!first || first.weight < smallestCode * whole) return null;
  return { text: nameWithLine(model, first.label), share: first.weight / whole, label: first.label };
}

/** "checksum (slow_udf.py:16)" where findings or the table of functions have its line, else the function's name. */
export function nameWithLine(model: Model, label: number): string {
  const name = model.functions.name[label]!;
  const start = name.endsWith(')') ? `${name.slice(0, -1)}:` : '';
  if (!start) return name;
  const told = model.report.findings.flatMap(({ frames = [] }) => frames).find((frame) => frame.startsWith(start));
  if (told) return told;
  const udf = model.report.udfs.find((one) => `${one.name} (${one.file.slice(one.file.lastIndexOf('/') + 1)}:` === start);
  return udf && udf.line > 0 ? `${start}${udf.line})` : name;
}

export function verdictOf(model: Model): Verdict {
  const duration = model.duration * 1e6;
  const [finding] = model.report.findings;
  const { row, place } = placeOf(model, duration, finding);
  return { duration, place, code: codeOf(model, row), finding: finding ?? null };
}
