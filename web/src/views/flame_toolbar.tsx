// SPDX-License-Identifier: Apache-2.0
import { useStore } from '../state/store.ts';
import { amount, count, exact, share } from '../state/format.ts';
import { matchedWeight } from '../analysis/flame_layout.ts';
import type { View } from '../state/view.ts';

function Toggle(props: { on: boolean; label: string; title: string; change(): void }) {
  return (
    <button class="toggle" aria-pressed={props.on} title={props.title} onClick={props.change}>
      {props.label}
    </button>
  );
}

/** Says why it has no effect where that is so. */
function TimeOrderToggle() {
  const store = useStore();
  const { timeOrder } = store.view.value;
  const why = store.whyNoTimeOrder.value;
  return (
    <>
      <Toggle
        on={timeOrder}
        label="Time order"
        title={why || 'Draw the stacks of the thread or task in order of time (o)'}
        change={() => store.update({ timeOrder: !timeOrder, sandwich: '', reversed: false })}
      />
      {timeOrder && why && (
        <span class="quiet" role="status">
          {why}
        </span>
      )}
    </>
  );
}

export function FlameToolbar() {
  const store = useStore();
  const view = store.view.value;
  const flip = (key: 'flames' | 'heatMap' | 'reversed' | 'byThread' | 'showIdle' | 'table' | 'tree' | 'absolute' | 'pyspark') => () =>
    store.update({
      [key]: !view[key],
      ...(key === 'reversed' ? { sandwich: '', timeOrder: false } : {}),
      ...(key === 'byThread' ? { timeOrder: false } : {}),
    } as Partial<View>);
  const hasIdle = view.showIdle || store.weights.value.some((side) => side.idle > 0);
  return (
    <div class="toolbar" role="toolbar" aria-label="Flame graph">
      <Toggle on={view.flames} label="Flames" title="Draw the root at the bottom (i)" change={flip('flames')} />
      <Toggle on={view.reversed} label="Callers" title="Show callers: merge stacks from their leaves (r)" change={flip('reversed')} />
      <Toggle on={view.byThread} label="By thread" title="One tree per thread" change={flip('byThread')} />
      <TimeOrderToggle />
      {store.model.hasSteps && (
        <Toggle on={view.heatMap} label="Heat map" title="Show the samples over time, to select a range" change={flip('heatMap')} />
      )}
      {hasIdle && (
        <Toggle
          on={view.showIdle}
          label="Idle threads"
          title="Include threads that sleep outside tasks or wait for work in a pool"
          change={flip('showIdle')}
        />
      )}
      {store.model.functions.pyspark.size > 0 && (
        <Toggle on={view.pyspark} label="PySpark" title="Show PySpark's own frames below [pyspark runtime]" change={flip('pyspark')} />
      )}
      <span class="gap" />
      <Toggle
        on={view.color === 'package'}
        label="Color by package"
        title="Color by package instead of by kind"
        change={() => store.update({ color: view.color === 'kind' ? 'package' : 'kind' })}
      />
      <Toggle on={view.table} label="Table" title="Table of functions (t)" change={flip('table')} />
      <Toggle on={view.tree} label="Tree" title="Text tree, for screen readers" change={flip('tree')} />
      {view.versus && (
        <Toggle on={view.absolute} label="Absolute" title="Compare absolute weights instead of shares" change={flip('absolute')} />
      )}
      {view.sandwich && (
        <span class="chip">
          <span class="chip-text">around: {view.sandwich}</span>
          <button class="chip-remove" aria-label="End sandwich" onClick={() => store.update({ sandwich: '' })}>
            ×
          </button>
        </span>
      )}
      {view.transforms.map((transform, i) => (
        <span class="chip" key={i}>
          <span class="chip-text" title={transform.name}>
            {transform.kind}: {transform.name}
          </span>
          <button
            class="chip-remove"
            aria-label={`Remove ${transform.kind} ${transform.name}`}
            onClick={() => store.update({ transforms: view.transforms.filter((_, at) => at !== i) })}>
            ×
          </button>
        </span>
      ))}
      <span class="gap wide" />
      <Totals />
    </div>
  );
}

/** Total of the selection, and the share that the search found. */
function Totals() {
  const store = useStore();
  const unit = store.event.value?.unit ?? 'count';
  const flame = store.flame.value;
  const { matches, found, error } = store.search.value;
  const { layout } = flame.main;
  const zoom = store.view.value.zoom < layout.count ? store.view.value.zoom : 0;
  const matched = matches ? matchedWeight(layout, matches, zoom) / (layout.nodeTotal[layout.node[zoom]!] || 1) : 0;
  return (
    <span class="totals" aria-live="polite">
      {error && <span class="warn">{error}</span>}
      {matches && (
        <span class="matched" data-matched={matched}>
          matched {share(matched)} · {found === 1 ? '1 name' : `${count(found)} names`}
        </span>
      )}
      {store.weights.value.map((side, i) => (
        <span key={i} class={i ? 'side-b' : 'side-a'} title={exact(side.total, unit)}>
          {i > 0 && 'vs '}
          {side.total === side.count ? '' : `${amount(side.total, unit)} · `}
          {count(side.count)} samples
        </span>
      ))}
    </span>
  );
}
