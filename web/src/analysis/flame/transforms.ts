// SPDX-License-Identifier: Apache-2.0
// Transforms of a weighted call tree: fewer frames, reversed, around one function, by thread.
import type { Model } from '../../data/model.ts';
import { totalsOf, TreeBuilder, type CallTree } from '../../data/call_tree.ts';
import { forEachSample, type SampleFilter } from '../selection.ts';

export interface Transform {
  kind: 'focus' | 'hide' | 'collapse';
  name: string;
}

/** A call tree with one column of self weights for each side of a comparison. */
export interface WeightedTree {
  tree: CallTree;
  sides: Float64Array[];
}

/** Adds up weights of old nodes in new ones; a negative new node drops the weight. */
function project(sides: Float64Array[], nodes: Int32Array, count: number): Float64Array[] {
  return sides.map((side) => {
    const result = new Float64Array(count);
    for (let node = 0; node < nodes.length; node++) {
      if (side[node] !== 0 && nodes[node]! >= 0) result[nodes[node]!]! += side[node]!;
    }
    return result;
  });
}

/** `labelsNamed` returns the labels of a transform's name. */
export function applyTransforms(input: WeightedTree, transforms: Transform[], labelsNamed: (name: string) => Set<number>): WeightedTree {
  if (transforms.length === 0) return input;
  const { tree, nodes } = transformNodes(input.tree, transforms, labelsNamed);
  return { tree, sides: project(input.sides, nodes, tree.count) };
}

/** The tree after the transforms, and for each node of the old tree its new one; -1: dropped. */
export function transformNodes(
  old: CallTree,
  transforms: Transform[],
  labelsNamed: (name: string) => Set<number>,
): { tree: CallTree; nodes: Int32Array } {
  let tree = old;
  let all = Int32Array.from({ length: old.count }, (_, node) => node);
  for (const { kind, name } of transforms) {
    const labels = labelsNamed(name);
    if (kind === 'focus') {
      const inside = insideOf(tree, labels);
      all = all.map((node) => (node >= 0 && inside[node] ? node : -1));
      continue;
    }
    const builder = new TreeBuilder(tree.count);
    const nodes = new Int32Array(tree.count);
    for (let node = 1; node < tree.count; node++) {
      const parent = nodes[tree.parent[node]!]!;
      const label = tree.label[node]!;
      const removed = labels.has(label) && (kind === 'hide' || (parent !== 0 && builder.labelOf(parent) === label));
      nodes[node] = removed ? parent : builder.child(parent, label);
    }
    tree = builder.finish();
    all = all.map((node) => (node >= 0 ? nodes[node]! : -1));
  }
  return { tree, nodes: all };
}

/** 1 for each node that has one of the labels itself or above it. */
function insideOf(tree: CallTree, labels: Set<number>): Uint8Array {
  const inside = new Uint8Array(tree.count);
  for (let node = 1; node < tree.count; node++) {
    inside[node] = inside[tree.parent[node]!] || labels.has(tree.label[node]!) ? 1 : 0;
  }
  return inside;
}

/** Callers below this share are not expanded if expanding all would take seconds. */
export const smallestFollowed = 1e-5;
const mostSteps = 4_000_000;

/**
 * Leaves become the first level, their callers stand under them. Works level by level, so that of very large profiles
 * only branches that can be seen are followed; the weight of the others ends where they were left. `cut` tells.
 */
export function reverse({ tree, sides }: WeightedTree, steps = mostSteps): WeightedTree & { cut: boolean } {
  const leaves: number[] = [];
  for (let node = 1; node < tree.count; node++) if (sides.some((side) => side[node] !== 0)) leaves.push(node);
  const depth = new Uint16Array(tree.count);
  for (let node = 1; node < tree.count; node++) depth[node] = depth[tree.parent[node]!]! + 1;
  const cut = leaves.reduce((sum, node) => sum + depth[node]!, 0) > steps;
  const sums = sides.map((side) => side.reduce((sum, weight) => sum + weight, 0) || 1);
  const share = Float64Array.from(leaves, (node) => sides.reduce((most, side, i) => Math.max(most, side[node]! / sums[i]!), 0));
  const builder = new TreeBuilder(Math.min(tree.count, 1 << 20));
  const step = Uint32Array.from(leaves);
  const reached = new Uint32Array(leaves.length);
  let active = Uint32Array.from(leaves.keys());
  while (active.length > 0) {
    const known = builder.count;
    for (const leaf of active) {
      reached[leaf] = builder.child(reached[leaf]!, tree.label[step[leaf]!]!);
      step[leaf] = tree.parent[step[leaf]!]!;
    }
    const level = new Float64Array(builder.count - known);
    for (const leaf of active) level[reached[leaf]! - known]! += share[leaf]!;
    active = active.filter((leaf) => step[leaf]! > 0 && (!cut || level[reached[leaf]! - known]! >= smallestFollowed));
  }
  const nodes = new Int32Array(tree.count).fill(-1);
  nodes[0] = 0;
  leaves.forEach((node, leaf) => {
    nodes[node] = reached[leaf]!;
  });
  return { tree: builder.finish(), sides: project(sides, nodes, builder.count), cut };
}

/**
 * Callers and callees of the labels. In both trees the root stands for the labels; recursive calls are counted
 * once, at the outermost.
 */
export function sandwich({ tree, sides }: WeightedTree, labels: Set<number>): { callers: WeightedTree; callees: WeightedTree } {
  const inside = insideOf(tree, labels);
  const callees = new TreeBuilder();
  const calleeNodes = new Int32Array(tree.count).fill(-1);
  const callers = new TreeBuilder();
  const callerNodes = new Int32Array(tree.count).fill(-1);
  for (let node = 1; node < tree.count; node++) {
    if (!inside[node]) continue;
    const outermost = !inside[tree.parent[node]!];
    calleeNodes[node] = outermost ? 0 : callees.child(calleeNodes[tree.parent[node]!]!, tree.label[node]!);
    if (!outermost) continue;
    let at = 0;
    for (let step = tree.parent[node]!; step > 0; step = tree.parent[step]!) at = callers.child(at, tree.label[step]!);
    callerNodes[node] = at;
  }
  const totals = sides.map((side) => totalsOf(tree, side));
  return {
    callees: { tree: callees.finish(), sides: project(sides, calleeNodes, callees.count) },
    callers: { tree: callers.finish(), sides: project(totals, callerNodes, callers.count) },
  };
}

/** The first level is the thread. A thread's label is its row beyond the functions' labels. */
export function treeByThread(model: Model, filters: SampleFilter[]): WeightedTree {
  const { stack, thread, weight } = model.report.samples;
  const { tree, nodeOfStack, functions } = model;
  const builder = new TreeBuilder(4096);
  // (thread, node) -> node of the new tree
  const known = new Map<number, number>();
  const nodeFor = (threadRow: number, node: number): number => {
    if (node === 0) return builder.child(0, functions.count + threadRow);
    const key = threadRow * tree.count + node;
    let found = known.get(key);
    if (found === undefined) {
      const path: number[] = [];
      for (let step = node; step > 0; step = tree.parent[step]!) path.push(tree.label[step]!);
      found = builder.child(0, functions.count + threadRow);
      for (let i = path.length - 1; i >= 0; i--) found = builder.child(found, path[i]!);
      known.set(key, found);
    }
    return found;
  };
  const rows: [number, number][][] = filters.map((filter) => {
    const pairs: [number, number][] = [];
    forEachSample(model, filter, (row) => {
      pairs.push([nodeFor(thread[row]!, nodeOfStack[stack[row]!]!), weight[row]!]);
    });
    return pairs;
  });
  const sides = rows.map((pairs) => {
    const side = new Float64Array(builder.count);
    for (const [node, value] of pairs) side[node]! += value;
    return side;
  });
  return { tree: builder.finish(), sides };
}
