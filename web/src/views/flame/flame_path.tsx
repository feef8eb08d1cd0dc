// SPDX-License-Identifier: Apache-2.0
import { pathTo, type FlameLayout } from '../../analysis/flame/flame_layout.ts';
import { splitName } from '../../charts/flame/labels.ts';
import { rootLabel } from '../../state/flame.ts';
import { useStore } from '../../state/store.ts';
import { LongName } from '../long_name.tsx';

const shownSteps = 7;

interface Properties {
  layout: FlameLayout;
  zoom: number;
  shared: number;
}

/**
 * The path from the root to the zoomed frame; click a step to go back to it. And the way to the `shared` frames of most stacks. It is
 * always there, so that a zoom moves nothing under the pointer.
 */
export function FlamePath({ layout, zoom, shared }: Properties) {
  const store = useStore();
  const { stem } = store.view.value;
  const path = pathTo(layout, zoom);
  const shown = path.length > shownSteps ? [path[0]!, -1, ...path.slice(-(shownSteps - 2))] : path;
  return (
    <nav class="path" aria-label="Zoomed frames">
      {shown.map((row) =>
        row < 0 ? (
          <span key="gap">…</span>
        ) : (
          <button
            key={row}
            aria-current={row === zoom}
            onClick={() => store.update({ zoom: row })}
            title={labelName(store.labelNames, layout.label[row]!)}>
            <LongName text={splitName(labelName(store.labelNames, layout.label[row]!)).own} />
          </button>
        ),
      )}
      {shared > 0 && (
        <button class="link" onClick={() => store.update({ stem: !stem })}>
          {stem ? `Skip the ${shared} frames that most stacks share` : `Show the ${shared} frames that most stacks share`}
        </button>
      )}
    </nav>
  );
}

export function labelName(names: string[], label: number): string {
  // labels beyond the names are runs of frames, by their length
  return label === rootLabel ? 'all' : (names[label] ?? `${label - names.length} Spark frames`);
}
