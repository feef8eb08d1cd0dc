// SPDX-License-Identifier: Apache-2.0
import { Kind, Origin } from '../../data/contract.ts';
import type { Model } from '../../data/model.ts';
import { forEachSample, type SampleFilter, type Weights } from '../selection.ts';

type ClassOf = (kind: number, origin: number) => number;

/** The class of each node of the tree. The JDK and Scala work for their caller: `HashMap.get` counts for the code that calls it. */
export function classesOfNodes({ tree, functions }: Model, classOf: ClassOf): Uint8Array {
  const classes = new Uint8Array(tree.count);
  for (let node = 1; node < tree.count; node++) {
    const label = tree.label[node]!;
    const [kind, origin] = [functions.kind[label]!, functions.origin[label]!];
    const parent = tree.parent[node]!;
    const forCaller = origin === Origin.Jdk && kind <= Kind.Inlined && parent > 0;
    classes[node] = forCaller ? classes[parent]! : classOf(kind, origin);
  }
  return classes;
}

/** Weight by class of frame: what samples were in, each counted once. `classOf` of kind and origin of a function. */
export function weightOfClasses(model: Model, { self }: Weights, classOf: ClassOf): Map<number, number> {
  const sums = new Map<number, number>();
  classesOfNodes(model, classOf).forEach((own, node) => {
    if (node > 0 && self[node] !== 0) sums.set(own, (sums.get(own) ?? 0) + self[node]!);
  });
  return sums;
}

/** The time of an executor's threads by class of frame. */
export interface Activity {
  executor: number;
  total: number;
  /** weight by class, and in it by step of `bucketMs` */
  weights: Float64Array[];
}

/** The activity of each executor that has samples of the filter, in their order. */
export function activityOf(model: Model, filter: SampleFilter, classOf: ClassOf, classes: number): Activity[] {
  const { bucket, executor, stack, weight } = model.report.samples;
  const ofNode = classesOfNodes(model, classOf);
  const steps = bucket.reduce((most, step) => Math.max(most, step), 0) + 2;
  const found: Activity[] = [];
  forEachSample(model, filter, (row) => {
    const own = (found[executor[row]!] ??= {
      executor: executor[row]!,
      total: 0,
      weights: Array.from({ length: classes }, () => new Float64Array(steps)),
    });
    own.total += weight[row]!;
    own.weights[ofNode[model.nodeOfStack[stack[row]!]!]!]![bucket[row]!]! += weight[row]!;
  });
  return found.filter(Boolean);
}
