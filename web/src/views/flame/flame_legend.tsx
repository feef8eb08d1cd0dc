// SPDX-License-Identifier: Apache-2.0
// What the colors mean and how much of the selection each is; a click shows one kind only.
import { useMemo } from 'preact/hooks';
import { weightOfClasses } from '../../analysis/flame/frame_shares.ts';
import { classOf, frameClasses, hexOf } from '../../charts/flame/colors.ts';
import { amount, share } from '../../state/format.ts';
import { usePart, useStore } from '../../state/store.ts';

/** share; less is not in the legend */
const smallestShown = 0.0005;

export function FlameLegend() {
  const store = useStore();
  const [kind, setKind] = usePart('kind');
  const { color, versus } = store.view.value;
  const [weights] = store.weights.value;
  const sums = useMemo(() => weightOfClasses(store.model, weights!, classOf), [store.model, weights]);
  if (color !== 'kind' || versus) return null;
  const dark = store.dark.value;
  const unit = store.event.value?.unit ?? 'count';
  return (
    <span class="flame-legend" role="group" aria-label="Kinds of frames">
      {frameClasses.map((type, i) => {
        const part = (sums.get(i) ?? 0) / (weights!.total || 1);
        if (part < smallestShown && kind !== type.id) return null;
        return (
          <button
            key={type.id}
            aria-pressed={kind === type.id}
            title={`${type.label}: ${amount(sums.get(i) ?? 0, unit)}. Click to show only these frames`}
            onClick={() => setKind(kind === type.id ? '' : type.id)}>
            <i style={{ background: hexOf(type[dark ? 'dark' : 'light']) }} />
            {type.short} <b>{share(part)}</b>
          </button>
        );
      })}
    </span>
  );
}
