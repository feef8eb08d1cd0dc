// SPDX-License-Identifier: Apache-2.0
// Call trees in columns. A node's label is a number (a function, or a thread beyond the functions).

/** Node 0 is the root; parent < own node. */
export interface CallTree {
  count: number;
  parent: Uint32Array;
  label: Uint32Array;
}

/** Builds a call tree; a repeated request for a child returns the same node. */
export class TreeBuilder {
  count = 1;
  private parents: Uint32Array;
  private labels: Uint32Array;
  private slots: Int32Array;
  private mask: number;

  constructor(expectedNodes = 1024) {
    const capacity = Math.max(16, expectedNodes);
    this.parents = new Uint32Array(capacity);
    this.labels = new Uint32Array(capacity);
    let size = 32;
    while (size < capacity * 2) size *= 2;
    this.slots = new Int32Array(size);
    this.mask = size - 1;
  }

  child(parent: number, label: number): number {
    let slot = this.slotOf(parent, label);
    for (;;) {
      const node = this.slots[slot]!;
      if (node === 0) break;
      if (this.parents[node] === parent && this.labels[node] === label) return node;
      slot = (slot + 1) & this.mask;
    }
    const node = this.count++;
    if (node === this.parents.length) this.growNodes();
    this.parents[node] = parent;
    this.labels[node] = label;
    this.slots[slot] = node;
    if (this.count * 2 > this.slots.length) this.growSlots();
    return node;
  }

  labelOf(node: number): number {
    return this.labels[node]!;
  }

  finish(): CallTree {
    return { count: this.count, parent: this.parents.subarray(0, this.count), label: this.labels.subarray(0, this.count) };
  }

  private slotOf(parent: number, label: number): number {
    let hash = Math.imul(parent, 0x9e3779b1) ^ Math.imul(label + 1, 0x85ebca6b);
    hash ^= hash >>> 15;
    hash = Math.imul(hash, 0x2c1b3c6d);
    return (hash ^ (hash >>> 13)) & this.mask;
  }

  private growNodes(): void {
    const parents = new Uint32Array(this.parents.length * 2);
    const labels = new Uint32Array(this.labels.length * 2);
    parents.set(this.parents);
    labels.set(this.labels);
    this.parents = parents;
    this.labels = labels;
  }

  private growSlots(): void {
    this.slots = new Int32Array(this.slots.length * 2);
    this.mask = this.slots.length - 1;
    for (let node = 1; node < this.count; node++) {
      let slot = this.slotOf(this.parents[node]!, this.labels[node]!);
      while (this.slots[slot] !== 0) slot = (slot + 1) & this.mask;
      this.slots[slot] = node;
    }
  }
}

/** Adds each node's weight to its ancestors'. */
export function totalsOf(tree: CallTree, self: Float64Array): Float64Array {
  const total = self.slice(0, tree.count);
  for (let node = tree.count - 1; node > 0; node--) total[tree.parent[node]!]! += total[node]!;
  return total;
}
