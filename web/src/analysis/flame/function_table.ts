// SPDX-License-Identifier: Apache-2.0
// Self and total of each label of a forward flame layout; recursion is counted once.
import type { FlameLayout } from './flame_layout.ts';

export interface LabelSums {
  self: Float64Array;
  total: Float64Array;
}

/** `selfOfNode` and `totalOfNode` are columns over the nodes of the laid-out tree, one side of a comparison. */
export function sumByLabel(layout: FlameLayout, labels: number, selfOfNode: Float64Array, totalOfNode: Float64Array): LabelSums {
  const self = new Float64Array(labels);
  const total = new Float64Array(labels);
  const openUntil = new Uint32Array(labels);
  for (let row = 1; row < layout.count; row++) {
    const label = layout.label[row]!;
    const node = layout.node[row]!;
    self[label]! += selfOfNode[node]!;
    if (row >= openUntil[label]!) {
      total[label]! += totalOfNode[node]!;
      openUntil[label] = layout.next[row]!;
    }
  }
  return { self, total };
}
