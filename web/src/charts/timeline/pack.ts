// SPDX-License-Identifier: Apache-2.0
// Packs intervals into as few rows as possible, in order of their beginning: tasks into cores, stages into lines.

export interface Packed {
  row: Uint16Array;
  rows: number;
}

/** `gap` is how much two neighbors on a row may overlap: clocks of driver and executors differ by a little. */
export function packIntervals(begin: ArrayLike<number>, end: ArrayLike<number>, gap = 0): Packed {
  const order = Array.from({ length: begin.length }, (_, i) => i).sort((a, b) => begin[a]! - begin[b]! || a - b);
  const row = new Uint16Array(begin.length);
  const busyUntil: number[] = [];
  for (const i of order) {
    let at = busyUntil.findIndex((until) => until <= begin[i]! + gap);
    if (at < 0) at = busyUntil.push(0) - 1;
    busyUntil[at] = end[i]!;
    row[i] = at;
  }
  return { row, rows: busyUntil.length };
}
