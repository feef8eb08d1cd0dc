// SPDX-License-Identifier: Apache-2.0
// Functions: what frames become when the line and the way of compilation are left out.
import type { Report } from './contract.ts';
import { Kind } from './contract.ts';

export interface Functions {
  count: number;
  /** function of each frame */
  ofFrame: Uint32Array;
  name: string[];
  /** the kind and origin of the function's first frame */
  kind: Uint8Array;
  origin: Uint8Array;
}

/** Compiled, interpreted and inlined code of one method is one function; native code of the same name is another. */
function family(kind: number): number {
  return kind <= Kind.Inlined ? 0 : kind;
}

export function buildFunctions(report: Report): Functions {
  const { frames, strings } = report;
  const frameCount = frames.name.length;
  const ofFrame = new Uint32Array(frameCount);
  const ids = new Map<number, number>();
  const name: string[] = [];
  const kind: number[] = [];
  const origin: number[] = [];
  for (let frame = 0; frame < frameCount; frame++) {
    const key = frames.name[frame]! * 8 + family(frames.kind[frame]!);
    let id = ids.get(key);
    if (id === undefined) {
      id = name.length;
      ids.set(key, id);
      name.push(strings[frames.name[frame]!] || '[unknown]');
      kind.push(frames.kind[frame]!);
      origin.push(frames.origin[frame]!);
    }
    ofFrame[frame] = id;
  }
  return { count: name.length, ofFrame, name, kind: Uint8Array.from(kind), origin: Uint8Array.from(origin) };
}
