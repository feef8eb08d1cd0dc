// SPDX-License-Identifier: Apache-2.0
// The call tree by what threads are for: tasks as they are, the JIT compiler, the garbage collector and other background
// threads each below a name of their own. And long runs of Spark's frames as one.
import { totalsOf, TreeBuilder, type CallTree } from '../data/call_tree.ts';
import type { Thread } from '../data/contract.ts';
import type { Model } from '../data/model.ts';
import { forEachSample, type SampleFilter } from './selection.ts';
import type { WeightedTree } from './flame/transforms.ts';

/** Labels of groups follow those of functions and threads in this order. */
export const threadGroups = ['Driver', 'JIT compiler', 'Garbage collector', 'VM threads', 'Background threads'];
const driver = 0;
const ofKind: Record<Thread['kind'], number> = { task: -1, jit: 1, gc: 2, vm: 3, other: 4 };

/** A group of threads; `name` is a row of `threadGroups`, -1 for tasks. One column of weights over the model's tree for each side. */
interface Group {
  name: number;
  sides: Float64Array[];
}

function groupsOf(model: Model, filters: SampleFilter[]): Group[] {
  const { samples, threads, executors } = model.report;
  const groups = new Map<number, Group>();
  filters.forEach((filter, side) => {
    forEachSample(model, filter, (row) => {
      const { kind, executor } = threads[samples.thread[row]!] ?? { kind: 'task', executor: -1 };
      let name = samples.task[row]! >= 0 ? -1 : ofKind[kind];
      if (kind === 'other' && name >= 0 && executors[executor]?.id === 'driver') name = driver;
      let group = groups.get(name);
      if (!group) groups.set(name, (group = { name, sides: filters.map(() => new Float64Array(model.tree.count)) }));
      group.sides[side]![model.nodeOfStack[samples.stack[row]!]!]! += samples.weight[row]!;
    });
  });
  return [...groups.values()].sort((a, b) => a.name - b.name);
}

/** A frame continues the run of its parent if it has so much of its time. */
const sameTime = 0.75;
/** Fewer frames are no plumbing to hide. */
export const shortestRun = 4;

/** The first node of each node's run of plumbing; its own number for any other node. */
function runsOf(tree: CallTree, totals: Float64Array, isPlumbing: Uint8Array): { first: Uint32Array; length: Uint16Array } {
  const first = Uint32Array.from({ length: tree.count }, (_, node) => node);
  const length = new Uint16Array(tree.count).fill(1);
  for (let node = 1; node < tree.count; node++) {
    const parent = tree.parent[node]!;
    const continues =
      parent > 0 && isPlumbing[tree.label[node]!] && isPlumbing[tree.label[parent]!] && totals[node]! >= sameTime * totals[parent]!;
    if (!continues) continue;
    first[node] = first[parent]!;
    length[first[node]!]!++;
  }
  return { first, length };
}

export interface Arrangement {
  /** one byte a label: Spark's frames and those of the JDK and Scala around them; null: runs stay as they are */
  plumbing: Uint8Array | null;
  /** the label of a group, and of a run of so many frames */
  labelOfGroup(name: number): number;
  labelOfRun(length: number): number;
}

/**
 * The samples of the filters as one tree. `before` are the nodes of the model's tree in `tree`, -1 for those that are left out. What
 * leaves a run before its end stands below it, too.
 */
export function arrange(model: Model, filters: SampleFilter[], tree: CallTree, before: Int32Array, how: Arrangement): WeightedTree {
  const builder = new TreeBuilder(Math.min(tree.count, 1 << 18));
  const groups = groupsOf(model, filters);
  const parts = groups.map(({ name, sides: old }) => {
    const sides = old.map((side) => {
      const own = new Float64Array(tree.count);
      for (let node = 0; node < side.length; node++) if (side[node] !== 0 && before[node]! >= 0) own[before[node]!]! += side[node]!;
      return own;
    });
    const totals = totalsOf(tree, sides.length === 1 ? sides[0]! : sides[0]!.map((weight, node) => weight + sides[1]![node]!));
    // what is alone needs no name
    const top = name < 0 || groups.length === 1 ? 0 : builder.child(0, how.labelOfGroup(name));
    const runs = how.plumbing && runsOf(tree, totals, how.plumbing);
    const nodes = new Int32Array(tree.count);
    nodes[0] = top;
    for (let node = 1; node < tree.count; node++) {
      if (totals[node] === 0) continue;
      const first = runs?.first[node] ?? node;
      const length = runs?.length[first] ?? 1;
      if (length < shortestRun) nodes[node] = builder.child(nodes[tree.parent[node]!]!, tree.label[node]!);
      else nodes[node] = first === node ? builder.child(nodes[tree.parent[node]!]!, how.labelOfRun(length)) : nodes[first]!;
    }
    return { sides, nodes };
  });
  const sides = filters.map((_, i) => {
    const column = new Float64Array(builder.count);
    for (const { sides: own, nodes } of parts) {
      const side = own[i]!;
      for (let node = 0; node < side.length; node++) if (side[node] !== 0) column[nodes[node]!]! += side[node]!;
    }
    return column;
  });
  return { tree: builder.finish(), sides };
}
