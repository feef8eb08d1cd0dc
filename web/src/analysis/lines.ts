// SPDX-License-Identifier: Apache-2.0
// How one function's weight splits over source lines and ways of compilation. Recursion is counted once, at the
// outermost call.
import type { Model } from '../data/model.ts';
import { forEachSample, type SampleFilter } from './selection.ts';

export interface FrameShare { file: string; line: number; kind: number; weight: number }

export function splitByLine(model: Model, filter: SampleFilter, label: number): FrameShare[] {
  const { frames, stacks, samples, strings } = model.report;
  const { ofFrame } = model.functions;
  const total = new Float64Array(stacks.parent.length);
  forEachSample(model, filter, (row) => { total[samples.stack[row]!]! += samples.weight[row]!; });
  for (let row = total.length - 1; row > 0; row--) total[stacks.parent[row]!]! += total[row]!;
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
