// SPDX-License-Identifier: Apache-2.0
// The stages of a job from left to right: each one right of all that it reads.

export interface StageBox {
  id: number;
  /** column */
  level: number;
  /** row within the column */
  place: number;
  /** positions of the boxes that it reads */
  parents: number[];
}

/** `parentsOf`: IDs; those that are not among `ids` do not count. */
export function layOutStages(ids: number[], parentsOf: (id: number) => number[]): StageBox[] {
  const at = new Map<number, number>();
  const boxes: StageBox[] = [];
  const rows: number[] = [];
  // a stage has a higher ID than those that it reads
  for (const id of [...ids].sort((a, b) => a - b)) {
    const parents = parentsOf(id).flatMap((parent) => at.get(parent) ?? []);
    const level = parents.reduce((most, parent) => Math.max(most, boxes[parent]!.level + 1), 0);
    // beside the first one that it reads, where there is room
    const place = Math.max(rows[level] ?? 0, parents.length > 0 ? Math.min(...parents.map((parent) => boxes[parent]!.place)) : 0);
    rows[level] = place + 1;
    at.set(id, boxes.length);
    boxes.push({ id, level, place, parents });
  }
  return boxes;
}
