// SPDX-License-Identifier: Apache-2.0
// The stacks of one thread or task in order of time. Samples have the time of their step; inside a step they stand in
// the order of the flame graph, so that equal frames of neighboring steps join.
import { Category, type Selection } from '../../data/contract.ts';
import type { Model } from '../../data/model.ts';
import { totalsOf, type CallTree } from '../../data/call_tree.ts';
import { layoutTree, type FlameLayout } from '../flame/flame_layout.ts';
import { forEachSample, type SampleFilter } from '../selection.ts';

export interface TimeOrder {
  layout: FlameLayout;
  tree: CallTree;
  /** weight of each row by itself, in the event's unit; the layout counts ms */
  self: Float64Array;
  total: Float64Array;
  /** ms */
  stepMs: number;
}

const mostRows = 400_000;
/** Share of a step; samples that fill less leave a gap. */
const nearlyFull = 0.8;

/** Why the samples of a selection have no order of time; empty if they have. */
export function whyNoTimeOrder(model: Model, selection: Selection, filter: SampleFilter): string {
  const { bucket, thread } = model.report.samples;
  let first = -1;
  let others = false;
  let steps = 0;
  let step = -1;
  forEachSample(model, filter, (row) => {
    if (first < 0) first = thread[row]!;
    else if (thread[row] !== first) others = true;
    if (bucket[row] !== step) {
      step = bucket[row]!;
      steps++;
    }
  });
  if (others && typeof selection.task !== 'number') return 'Time order shows one thread or one task: choose one with “+ filter”.';
  if (steps > 1 || first < 0) return '';
  return model.hasSteps
    ? 'All samples of the selection are in one time step: their order was not recorded.'
    : 'This profile has no times, or lasts only one time step: its samples have no order.';
}

interface Entry {
  bucket: number;
  node: number;
  weight: number;
}

/**
 * `tree` and `nodes` are the model's tree after transforms, and where its nodes went (-1: dropped). `rootLabel` is that
 * of the first row.
 */
export function buildTimeOrder(
  model: Model,
  filter: SampleFilter,
  tree: CallTree,
  nodes: Int32Array,
  rootLabel: number,
  most = mostRows,
): TimeOrder {
  const { samples, bucketMs, events } = model.report;
  const isTime = events.find(({ id }) => id === filter.event)?.unit === 'ns';
  const entries: Entry[] = [];
  const weights = new Float64Array(tree.count);
  forEachSample(model, filter, (row) => {
    const node = nodes[model.nodeOfStack[samples.stack[row]!]!]!;
    if (node < 0 || samples.category[row] === Category.IdlePool) return;
    entries.push({ bucket: samples.bucket[row]!, node, weight: samples.weight[row]! });
    weights[node]! += samples.weight[row]!;
  });
  const rank = new Uint32Array(tree.count);
  layoutTree(tree, weights).node.forEach((node, place) => {
    rank[node] = place;
  });
  for (let joined = 1; ; joined *= 2) {
    const ordered = entries
      .map((entry) => ({ ...entry, bucket: Math.floor(entry.bucket / joined) }))
      .sort((a, b) => a.bucket - b.bucket || rank[a.node]! - rank[b.node]!);
    const rows = new Rows(tree, rootLabel, joined === 1 << 20 ? Infinity : most);
    if (rows.add(ordered, bucketMs * joined, isTime)) return rows.finish(bucketMs * joined);
  }
}

/** The layout's rows while they are made. */
class Rows {
  private readonly parent: number[] = [-1];
  private readonly label: number[];
  private readonly depth: number[] = [0];
  private readonly next: number[] = [0];
  private readonly start: number[] = [0];
  private readonly end: number[] = [0];
  private readonly self: number[] = [0];
  /** the open frames: nodes of the tree, and rows */
  private nodes: number[] = [0];
  private rows: number[] = [0];

  constructor(
    private readonly tree: CallTree,
    rootLabel: number,
    private readonly most: number,
  ) {
    this.label = [rootLabel];
  }

  /** False: there are too many rows. */
  add(entries: Entry[], stepMs: number, isTime: boolean): boolean {
    if (entries.length > 0) this.start[0] = entries[0]!.bucket * stepMs;
    let at = 0;
    let edge = -1;
    while (at < entries.length) {
      const { bucket } = entries[at]!;
      let end = at;
      let sum = 0;
      while (end < entries.length && entries[end]!.bucket === bucket) sum += entries[end++]!.weight;
      const filled = isTime ? sum / 1e6 / stepMs : 1;
      const msPerWeight = ((filled >= nearlyFull ? 1 : filled) * stepMs) / (sum || 1);
      let begin = bucket * stepMs;
      for (; at < end; at++) {
        const ms = entries[at]!.weight * msPerWeight;
        this.show(entries[at]!, begin, ms, Math.abs(begin - edge) < 1e-6 * stepMs);
        edge = begin += ms;
        if (this.label.length > this.most) return false;
      }
      if (filled >= nearlyFull) edge = (bucket + 1) * stepMs;
    }
    return true;
  }

  finish(stepMs: number): TimeOrder {
    this.close(0);
    const count = this.label.length;
    this.end[0] = Math.max(this.start[0]!, Math.ceil(this.end[0]! / stepMs - 1e-6) * stepMs);
    const start = Float64Array.from(this.start);
    const tree: CallTree = { count, parent: Uint32Array.from(this.parent, (row) => Math.max(0, row)), label: Uint32Array.from(this.label) };
    const self = Float64Array.from(this.self);
    const total = totalsOf(tree, self);
    const layout: FlameLayout = {
      count,
      node: Uint32Array.from({ length: count }, (_, row) => row),
      label: tree.label,
      parent: Int32Array.from(this.parent),
      depth: Uint16Array.from(this.depth),
      next: Uint32Array.from(this.next),
      start,
      total: Float64Array.from(this.end, (end, row) => end - start[row]!),
      self,
      maxDepth: this.depth.reduce((most, depth) => Math.max(most, depth), 0),
      nodeTotal: total,
      byTime: true,
    };
    return { layout, tree, self, total, stepMs };
  }

  private show({ node, weight }: Entry, begin: number, ms: number, joins: boolean): void {
    const path: number[] = [];
    for (let at = node; at > 0; at = this.tree.parent[at]!) path.push(at);
    path.push(0);
    path.reverse();
    let shared = 1;
    while (joins && shared < path.length && this.nodes[shared] === path[shared]) shared++;
    this.close(shared);
    for (let depth = shared; depth < path.length; depth++) {
      const row = this.label.length;
      this.parent.push(this.rows[depth - 1]!);
      this.label.push(this.tree.label[path[depth]!]!);
      this.depth.push(depth);
      this.next.push(0);
      this.start.push(begin);
      this.end.push(begin);
      this.self.push(0);
      this.rows.push(row);
      this.nodes.push(path[depth]!);
    }
    for (const row of this.rows) this.end[row] = begin + ms;
    const leaf = this.rows[this.rows.length - 1]!;
    this.self[leaf]! += weight;
  }

  /** Leaves the first `depth` frames open. */
  private close(depth: number): void {
    for (let i = this.rows.length - 1; i >= depth; i--) this.next[this.rows[i]!] = this.label.length;
    this.rows.length = depth;
    this.nodes.length = depth;
  }
}
