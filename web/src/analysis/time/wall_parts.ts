// SPDX-License-Identifier: Apache-2.0
// The spans of the wall time as parts that are wide enough to be seen: short neighbors are one part, of which nothing is left out.
import type { Model } from '../../data/model.ts';
import { stageLabel } from '../../data/model.ts';
import { stagePhase, wallPhases, within, type WallSpan } from './wall_time.ts';

export interface WallPart {
  spans: WallSpan[];
  /** ms, within the window */
  begin: number;
  end: number;
}

/** px; narrower stages of one name are one part */
const ownStage = 40;
/** px; the driver's time is seen also where it is short: it is what nobody expects */
const ownDriver = 12;
/** px; narrower spans are one part, whatever they are */
const visible = 3;
/** px; and not more of them */
const widestMixture = 24;

interface Group {
  spans: WallSpan[];
  /** of all of them, outside of stages */
  phase: string | null;
  width: number;
  /** of its stages; null: none yet; undefined: of several names */
  name: string | null | undefined;
  /** takes no more */
  full: boolean;
}

/** The parts of a window of time, ms, that is drawn `width` px wide. */
export function partsOf(model: Model, spans: WallSpan[], window: { from: number; to: number }, width: number): WallPart[] {
  const perMs = width / Math.max(1e-9, window.to - window.from);
  const { stages } = model.report;
  const groups: Group[] = [];
  for (const span of spans) {
    const wide = (within(span, window.from, window.to) / 1e6) * perMs;
    if (wide === 0) continue;
    const isStage = span.phase === stagePhase;
    const before = groups.at(-1);
    // the lines of one phase have one label
    if (before && !isStage && before.phase === span.phase) {
      before.spans.push(span);
      before.width += wide;
      before.full ||= before.width >= ownDriver;
      continue;
    }
    const name = isStage ? (stages[span.stage]?.name ?? '') : null;
    const full = wide >= (isStage ? ownStage : ownDriver);
    const group = full || before?.full ? undefined : before;
    const fits = group && (name === null || group.name === null || group.name === name);
    const blends = group && !fits && (wide < visible || group.width < visible) && group.width < widestMixture;
    if (group && (fits || blends)) {
      group.spans.push(span);
      group.width += wide;
      group.phase = null;
      if (blends) group.name = undefined;
      else group.name ??= name;
    } else groups.push({ spans: [span], phase: isStage ? null : span.phase, width: wide, name, full });
  }
  return groups.map(({ spans: own }) => ({
    spans: own,
    begin: Math.max(window.from, own[0]!.begin),
    end: Math.min(window.to, own.at(-1)!.end),
  }));
}

/** The rows of a part's stages, each once. */
export const stagesIn = ({ spans }: WallPart): number[] => [...new Set(spans.flatMap(({ stage }) => (stage >= 0 ? [stage] : [])))];

/** The name of a part, and a shorter one. */
export function namesOf(model: Model, part: WallPart): { long: string; short: string } {
  const { stages } = model.report;
  const rows = stagesIn(part);
  const [first] = rows;
  if (first === undefined) {
    const { phase, line } = part.spans.reduce((a, b) => (b.end - b.begin > a.end - a.begin ? b : a));
    if (phase === stagePhase) return { long: 'Stages that the page does not have', short: 'Stages' };
    const { label, short } = wallPhases[phase]!;
    return { long: line ? `${label}, ${line}` : label, short };
  }
  const { name, line } = stages[first]!;
  const label = `Stage ${stageLabel(stages[first]!)}`;
  if (rows.length === 1) return { long: `${label} ${name}`, short: label };
  const short = `${rows.length} stages`;
  const shared = rows.every((row) => stages[row]!.name === name) ? name : rows.every((row) => stages[row]!.line === line) ? line : '';
  return { long: shared ? `${shared} ×${rows.length}` : short, short };
}
