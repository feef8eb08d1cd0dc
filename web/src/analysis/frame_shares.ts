// SPDX-License-Identifier: Apache-2.0
import { Kind, Origin } from '../data/contract.ts';
import type { Model } from '../data/model.ts';
import type { Weights } from './selection.ts';

/**
 * Weight by class of frame: what samples were in, each counted once. The JDK and Scala work for their caller: `HashMap.get` counts for the
 * code that calls it. `classOf` of kind and origin of a function.
 */
export function weightOfClasses(
  { tree, functions }: Model,
  { self }: Weights,
  classOf: (kind: number, origin: number) => number,
): Map<number, number> {
  const sums = new Map<number, number>();
  const classes = new Uint8Array(tree.count);
  for (let node = 1; node < tree.count; node++) {
    const label = tree.label[node]!;
    const [kind, origin] = [functions.kind[label]!, functions.origin[label]!];
    const parent = tree.parent[node]!;
    const forCaller = origin === Origin.Jdk && kind <= Kind.Inlined && parent > 0;
    const own = (classes[node] = forCaller ? classes[parent]! : classOf(kind, origin));
    if (self[node] !== 0) sums.set(own, (sums.get(own) ?? 0) + self[node]!);
  }
  return sums;
}
