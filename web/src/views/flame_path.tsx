// SPDX-License-Identifier: Apache-2.0
import { pathTo, type FlameLayout } from '../analysis/flame_layout.ts';
import { shortName } from '../charts/flame/labels.ts';
import { rootLabel } from '../state/flame.ts';
import { useStore } from '../state/store.ts';

const shownSteps = 7;

/** The path from the root to the zoomed frame; click a step to go back to it. */
export function FlamePath(props: { layout: FlameLayout; zoom: number }) {
  const { layout, zoom } = props;
  const store = useStore();
  if (zoom === 0) return null;
  const path = pathTo(layout, zoom);
  const shown = path.length > shownSteps ? [path[0]!, -1, ...path.slice(-(shownSteps - 2))] : path;
  return (
    <nav class="path" aria-label="Zoomed frames">
      {shown.map((row) => (row < 0 ? <span key="gap">…</span> : (
        <button key={row} aria-current={row === zoom} onClick={() => store.update({ zoom: row })}
          title={labelName(store.labelNames, layout.label[row]!)}>
          {shortName(labelName(store.labelNames, layout.label[row]!))}
        </button>
      )))}
    </nav>
  );
}

export function labelName(names: string[], label: number): string {
  return label === rootLabel ? 'all' : names[label] ?? '[unknown]';
}
