// SPDX-License-Identifier: Apache-2.0
// Keys inside the flame graph.
import type { Signal } from '../../state/signals.ts';
import type { FlameLayout } from '../../analysis/flame/flame_layout.ts';
import { isRun, isStrip } from '../../state/flame.ts';
import type { Store } from '../../state/store.ts';
import { labelName } from './flame_path.tsx';

function sibling(layout: FlameLayout, row: number, step: 1 | -1): number {
  const parent = layout.parent[row]!;
  if (parent < 0) return row;
  let previous = -1;
  for (let at = parent + 1; at < layout.next[parent]!; at = layout.next[at]!) {
    if (step === -1 && at === row) return previous < 0 ? row : previous;
    if (step === 1 && previous === row) return at;
    previous = at;
  }
  return row;
}

/** Moves, zooms or opens the sandwich; false when the key means nothing here. */
export function moveKey(store: Store, selected: Signal<number>, event: KeyboardEvent): boolean {
  if (event.ctrlKey || event.metaKey || event.altKey) return false;
  const { layout } = store.flame.value.main;
  const view = store.view.value;
  const zoom = view.zoom < layout.count ? view.zoom : 0;
  const row = selected.value >= 0 && selected.value < layout.count ? selected.value : -1;
  const upwards = view.flames && !view.sandwich && !view.tree;
  const child = () => {
    if (row < 0) return zoom;
    if (row !== zoom && !store.search.value.matches && isStrip(store.model)(layout.label[row]!)) return row;
    return row + 1 < layout.next[row]! ? row + 1 : row;
  };
  const parent = () => (row < 0 ? zoom : Math.max(0, layout.parent[row]!));
  switch (event.key) {
    case 'ArrowDown':
      selected.value = upwards ? parent() : child();
      return true;
    case 'ArrowUp':
      selected.value = upwards ? child() : parent();
      return true;
    case 'ArrowLeft':
      selected.value = row < 0 ? zoom : sibling(layout, row, -1);
      return true;
    case 'ArrowRight':
      selected.value = row < 0 ? zoom : sibling(layout, row, 1);
      return true;
    case 'Enter':
      if (row < 0) return false;
      if (isRun(store.model, layout.label[row]!)) store.update({ plumbing: true });
      else store.update({ zoom: row });
      return true;
    case 'Backspace':
      store.update({ zoom: Math.max(0, layout.parent[zoom]!) });
      return true;
    case 's':
      if (row <= 0) return false;
      store.update({ sandwich: labelName(store.labelNames, layout.label[row]!), reversed: false });
      return true;
    default:
      return false;
  }
}
