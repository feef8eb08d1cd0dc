// SPDX-License-Identifier: Apache-2.0
// How one function's weight splits over source lines and ways of compilation. Recursion is counted once, at the
// outermost call.
import type { Model } from '../../data/model.ts';
import { forEachSample, type SampleFilter } from '../selection.ts';

export interface FrameShare {
  file: string;
  line: number;
  kind: number;
  weight: number;
}

/** Weight of each stack of the table in a selection, by itself and with all that stands below it. */
function weighStacks(model: Model, filter: SampleFilter): { self: Float64Array; total: Float64Array } {
  const { stacks, samples } = model.report;
  const self = new Float64Array(stacks.parent.length);
  forEachSample(model, filter, (row) => {
    self[samples.stack[row]!]! += samples.weight[row]!;
  });
  const total = self.slice();
  for (let row = total.length - 1; row > 0; row--) total[stacks.parent[row]!]! += total[row]!;
  return { self, total };
}

export function splitByLine(model: Model, filter: SampleFilter, label: number): FrameShare[] {
  const { frames, stacks, strings } = model.report;
  const { ofFrame } = model.functions;
  const { total } = weighStacks(model, filter);
  const inside = new Uint8Array(total.length);
  const sums = new Map<number, number>();
  for (let row = 1; row < total.length; row++) {
    const above = inside[stacks.parent[row]!]!;
    const own = ofFrame[stacks.frame[row]!] === label;
    inside[row] = above || own ? 1 : 0;
    if (own && !above && total[row]! > 0) sums.set(stacks.frame[row]!, (sums.get(stacks.frame[row]!) ?? 0) + total[row]!);
  }
  const shares = new Map<string, FrameShare>();
  for (const [frame, weight] of sums) {
    const line = frames.line[frame]!;
    const kind = frames.kind[frame]!;
    const file = strings[frames.file[frame]!] ?? '';
    const key = `${file}:${line}:${kind}`;
    const known = shares.get(key);
    if (known) known.weight += weight;
    else shares.set(key, { file, line, kind, weight });
  }
  return [...shares.values()].sort((a, b) => b.weight - a.weight);
}

export interface LineWeight {
  self: number;
  total: number;
}

/** The weight of each line of a source file; a stack that has a line several times counts once. */
export function weightOfLines(model: Model, filter: SampleFilter, source: number): Map<number, LineWeight> {
  const { frames, stacks } = model.report;
  const { self, total } = weighStacks(model, filter);
  const isIn = (row: number) => frames.source![stacks.frame[row]!] === source;
  const lineOf = (row: number) => frames.line[stacks.frame[row]!]!;
  const lines = new Map<number, LineWeight>();
  for (let row = 1; row < total.length; row++) {
    if (total[row] === 0 || !isIn(row)) continue;
    const line = lineOf(row);
    let above = stacks.parent[row]!;
    while (above > 0 && !(isIn(above) && lineOf(above) === line)) above = stacks.parent[above]!;
    const known = lines.get(line) ?? { self: 0, total: 0 };
    lines.set(line, known);
    known.self += self[row]!;
    if (above === 0) known.total += total[row]!;
  }
  return lines;
}

export interface FunctionSource {
  source: number;
  lines: number[];
}

/** The source file of a function, the one with most of its frames, and the function's lines in it, ascending. */
export function sourceOf(model: Model, label: number): FunctionSource | null {
  const { frames } = model.report;
  if (!frames.source) return null;
  const linesOf = new Map<number, Set<number>>();
  model.functions.ofFrame.forEach((of, frame) => {
    const source = frames.source![frame]!;
    if (of !== label || source < 0 || frames.line[frame] === 0) return;
    linesOf.set(source, (linesOf.get(source) ?? new Set()).add(frames.line[frame]!));
  });
  const [best] = [...linesOf].sort((a, b) => b[1].size - a[1].size);
  return best ? { source: best[0], lines: [...best[1]].sort((a, b) => a - b) } : null;
}
