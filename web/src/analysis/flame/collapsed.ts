// SPDX-License-Identifier: Apache-2.0
// A subtree as collapsed text, one line a stack: `root;…;leaf WEIGHT`.
import { pathTo, type FlameLayout } from './flame_layout.ts';

export function toCollapsed(layout: FlameLayout, from: number, nameOf: (label: number) => string): string {
  const lines: string[] = [];
  const clean = (row: number) => nameOf(layout.label[row]!).replaceAll(';', ':');
  const names = pathTo(layout, from).slice(1).map(clean);
  const base = layout.depth[from]!;
  for (let row = from; row < layout.next[from]!; row++) {
    if (row !== from) {
      names.length = layout.depth[row]! - 1;
      names.push(clean(row));
    }
    const weight = Math.round(layout.self[row]!);
    if (weight > 0 && layout.depth[row]! >= base && names.length > 0) lines.push(`${names.join(';')} ${weight}`);
  }
  return lines.join('\n');
}
