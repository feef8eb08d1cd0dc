// SPDX-License-Identifier: Apache-2.0
// Functions: frames without the line and the kind of compilation.
import type { Report } from './contract.ts';
import { Kind, Origin } from './contract.ts';

export interface Functions {
  count: number;
  /** function of each frame */
  ofFrame: Uint32Array;
  name: string[];
  /** the kind and origin of the function's first frame */
  kind: Uint8Array;
  origin: Uint8Array;
  /** PySpark's own Python functions, which the flame graph hides by default */
  pyspark: Set<number>;
}

/** Compiled, interpreted and inlined code of one method is one function; native code of the same name is another. */
function family(kind: number): number {
  return kind <= Kind.Inlined ? 0 : kind;
}

/** Names of Python functions are short: the file belongs to them. */
function nameOf(name: string, file: string, kind: number): string {
  return kind === Kind.Python && file ? `${name} (${file.slice(file.lastIndexOf('/') + 1)})` : name;
}

export function buildFunctions(report: Report): Functions {
  const { frames, strings } = report;
  const frameCount = frames.name.length;
  const ofFrame = new Uint32Array(frameCount);
  const ids = new Map<string, number>();
  const name: string[] = [];
  const kind: number[] = [];
  const origin: number[] = [];
  const pyspark = new Set<number>();
  for (let frame = 0; frame < frameCount; frame++) {
    const python = frames.kind[frame] === Kind.Python;
    const key = `${frames.name[frame]}/${family(frames.kind[frame]!)}/${python ? frames.file[frame] : ''}`;
    let id = ids.get(key);
    if (id === undefined) {
      id = name.length;
      ids.set(key, id);
      name.push(nameOf(strings[frames.name[frame]!] || '[unknown]', strings[frames.file[frame]!] ?? '', frames.kind[frame]!));
      if (python && frames.origin[frame] === Origin.Spark) pyspark.add(id);
      kind.push(frames.kind[frame]!);
      origin.push(frames.origin[frame]!);
    }
    ofFrame[frame] = id;
  }
  return { count: name.length, ofFrame, name, kind: Uint8Array.from(kind), origin: Uint8Array.from(origin), pyspark };
}
