// SPDX-License-Identifier: Apache-2.0
// A weighted call tree laid out for drawing: preorder columns, children by falling weight.
import { totalsOf, type CallTree } from '../../data/call_tree.ts';

/**
 * Row 0 is the root. A row's subtree is the rows up to `next` (excluded). Siblings stand by falling total, so when one
 * is too narrow to draw, so are all after it; not below the root, where groups of threads are the last.
 */
export interface FlameLayout {
  count: number;
  /** row -> node of the call tree */
  node: Uint32Array;
  label: Uint32Array;
  parent: Int32Array;
  depth: Uint16Array;
  next: Uint32Array;
  /** start of the frame, in weight */
  start: Float64Array;
  total: Float64Array;
  self: Float64Array;
  maxDepth: number;
  /** total of each node of the tree, laid out or not */
  nodeTotal: Float64Array;
  /** siblings stand in order of time, and start and total are ms */
  byTime?: boolean;
}

/** `isLast`: labels below the root that stand behind all others. */
export function layoutTree(tree: CallTree, self: Float64Array, isLast?: (label: number) => boolean): FlameLayout {
  const totals = totalsOf(tree, self);
  const { parent } = tree;
  const firstChild = new Uint32Array(tree.count + 1);
  let kept = 1;
  for (let node = 1; node < tree.count; node++) {
    if (totals[node]! > 0) {
      firstChild[parent[node]!]!++;
      kept++;
    }
  }
  let position = 0;
  for (let node = 0; node <= tree.count; node++) {
    const children = firstChild[node]!;
    firstChild[node] = position;
    position += children;
  }
  const children = new Uint32Array(kept);
  const filled = firstChild.slice();
  for (let node = 1; node < tree.count; node++) {
    if (totals[node]! > 0) children[filled[parent[node]!]!++] = node;
  }
  for (let node = 0; node < tree.count; node++) sortByTotal(children, totals, firstChild[node]!, firstChild[node + 1]!);
  if (isLast) {
    const top = children.subarray(0, firstChild[1]);
    const last = (node: number) => Number(isLast(tree.label[node]!));
    top.sort((a, b) => last(a) - last(b) || totals[b]! - totals[a]! || a - b);
  }
  return preorder(tree, self, totals, firstChild, children, kept);
}

/** Sorts a range by falling total. Nearly all ranges are short, and a comparator would cost more than the sorting. */
function sortByTotal(children: Uint32Array, totals: Float64Array, begin: number, end: number): void {
  if (end - begin > 40) {
    children.subarray(begin, end).sort((a, b) => totals[b]! - totals[a]! || a - b);
    return;
  }
  for (let i = begin + 1; i < end; i++) {
    const child = children[i]!;
    const total = totals[child]!;
    let at = i;
    while (at > begin && totals[children[at - 1]!]! < total) {
      children[at] = children[at - 1]!;
      at--;
    }
    children[at] = child;
  }
}

function preorder(
  tree: CallTree,
  self: Float64Array,
  totals: Float64Array,
  firstChild: Uint32Array,
  children: Uint32Array,
  count: number,
): FlameLayout {
  const layout: FlameLayout = {
    count,
    node: new Uint32Array(count),
    label: new Uint32Array(count),
    parent: new Int32Array(count),
    depth: new Uint16Array(count),
    next: new Uint32Array(count),
    start: new Float64Array(count),
    total: new Float64Array(count),
    self: new Float64Array(count),
    maxDepth: 0,
    nodeTotal: totals,
  };
  const cursor = firstChild.slice(0, tree.count);
  let row = 0;
  let current = -1;
  const open = (node: number, start: number) => {
    layout.node[row] = node;
    layout.label[row] = tree.label[node]!;
    layout.parent[row] = current;
    const depth = current < 0 ? 0 : layout.depth[current]! + 1;
    layout.depth[row] = depth;
    if (depth > layout.maxDepth) layout.maxDepth = depth;
    layout.start[row] = start;
    layout.total[row] = totals[node]!;
    layout.self[row] = self[node]!;
    current = row++;
  };
  open(0, 0);
  // start of the next child of each open row
  const edge = new Float64Array(count);
  while (current >= 0) {
    const node = layout.node[current]!;
    const at = cursor[node]!;
    if (at < firstChild[node + 1]!) {
      cursor[node] = at + 1;
      const child = children[at]!;
      const start = edge[current]!;
      edge[current] = start + totals[child]!;
      open(child, start);
      edge[current] = start;
    } else {
      layout.next[current] = row;
      current = layout.parent[current]!;
    }
  }
  return layout;
}

const stemShare = 0.8;
/** Fewer frames are no reason to scroll. */
const shortestStem = 3;

/** How many frames stand between the root and the last one that most stacks have in common; 0 when they are few. */
export function stemOf(layout: FlameLayout): number {
  let row = 0;
  // the first child is the widest
  while (row + 1 < layout.next[row]! && layout.total[row + 1]! >= stemShare * layout.total[0]!) row++;
  const stem = layout.depth[row]! - 1;
  return stem >= shortestStem ? stem : 0;
}

/** The rows from the root to `row`, both included. */
export function pathTo(layout: FlameLayout, row: number): number[] {
  const path: number[] = [];
  for (let at = row; at >= 0; at = layout.parent[at]!) path.push(at);
  return path.reverse();
}

/** The row at the end of a path of names that starts with the root's, or the last one on the way that still exists. */
export function rowOfPath(layout: FlameLayout, names: string[], nameOf: (label: number) => string): number {
  let row = 0;
  for (const name of names.slice(1)) {
    let child = row + 1;
    while (child < layout.next[row]! && nameOf(layout.label[child]!) !== name) child = layout.next[child]!;
    if (child >= layout.next[row]!) break;
    row = child;
  }
  return row;
}

/** Weight of all frames with a matching label, each stack counted once, by the weights of the layout's nodes. */
export function matchedWeight(layout: FlameLayout, matches: Uint8Array, from = 0): number {
  let sum = 0;
  const end = layout.next[from]!;
  for (let row = from; row < end; ) {
    if (row !== 0 && matches[layout.label[row]!]) {
      sum += layout.nodeTotal[layout.node[row]!]!;
      row = layout.next[row]!;
    } else {
      row++;
    }
  }
  return sum;
}
