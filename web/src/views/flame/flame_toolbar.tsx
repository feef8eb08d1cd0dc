// SPDX-License-Identifier: Apache-2.0
// Four ways to look at the samples, the legend with shares, and everything else in a menu.
import { useStore, type Store } from '../../state/store.ts';
import { amount, count, exact, share } from '../../state/format.ts';
import { matchedWeight } from '../../analysis/flame/flame_layout.ts';
import type { View } from '../../state/view.ts';
import { FlameLegend } from './flame_legend.tsx';

export type FlameMode = 'graph' | 'callers' | 'table' | 'time';

export function modeOf({ reversed, timeOrder, table }: View): FlameMode {
  return table ? 'table' : timeOrder ? 'time' : reversed ? 'callers' : 'graph';
}

const modes: { id: FlameMode; label: string; title: string }[] = [
  { id: 'graph', label: 'Graph', title: 'What called what, merged' },
  { id: 'callers', label: 'Callers', title: 'Merged from the leaves: who calls the functions with the most self time (r)' },
  { id: 'table', label: 'Table', title: 'Table of functions (t)' },
  { id: 'time', label: 'Time', title: 'Stacks of one thread or task in order of time (o)' },
];

function show(store: Store, mode: FlameMode): void {
  store.update({
    reversed: mode === 'callers',
    table: mode === 'table',
    timeOrder: mode === 'time',
    ...(mode === 'callers' || mode === 'time' ? { sandwich: '' } : {}),
  });
}

export function FlameToolbar() {
  const store = useStore();
  const view = store.view.value;
  const mode = modeOf(view);
  const why = store.whyNoTimeOrder.value;
  return (
    <div class="toolbar" role="toolbar" aria-label="Flame graph">
      <span class="segments">
        {modes.map(({ id, label, title }) => (
          <button key={id} aria-pressed={id === mode} title={title} onClick={() => show(store, id)}>
            {label}
          </button>
        ))}
      </span>
      {mode === 'time' && why && (
        <span class="quiet" role="status">
          {why}
        </span>
      )}
      {mode !== 'table' && <FlameLegend />}
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
      <ViewMenu mode={mode} />
    </div>
  );
}

/** Choices that change the picture of the mode; those without effect in it are absent. */
function ViewMenu({ mode }: { mode: FlameMode }) {
  const store = useStore();
  const view = store.view.value;
  const { report, functions } = store.model;
  const hasIdle = view.showIdle || store.weights.value.some((side) => side.idle > 0);
  const drawn = mode !== 'table';
  const choices: [keyof View, string, string, boolean][] = [
    [
      'plumbing',
      'Spark frames',
      'Show runs of Spark’s frames one by one, not as one row',
      mode === 'graph' && report.tasks.taskId.length > 0,
    ],
    ['pyspark', 'PySpark frames', 'Show PySpark’s own frames below [pyspark runtime]', functions.pyspark.size > 0],
    ['showIdle', 'Idle threads', 'Include threads that sleep outside tasks or wait for work in a pool', hasIdle],
    ['byThread', 'By thread', 'One tree for each thread', mode === 'graph' || mode === 'callers'],
    ['flames', 'Root below', 'Draw flames instead of icicles (i)', drawn && !view.tree],
    ['tree', 'Text tree', 'The same frames as text, for screen readers', drawn],
    ['absolute', 'Absolute weights', 'Compare weights instead of shares', view.versus !== null],
  ];
  return (
    <details class="view-menu">
      <summary>View</summary>
      <div class="column-list">
        {choices.map(
          ([key, label, title, applies]) =>
            applies && (
              <label key={key} title={title}>
                <input type="checkbox" checked={view[key] === true} onChange={() => store.update({ [key]: !view[key] } as Partial<View>)} />{' '}
                {label}
              </label>
            ),
        )}
        {drawn && (
          <label title="Color by package instead of by kind">
            <input
              type="checkbox"
              checked={view.color === 'package'}
              onChange={() => store.update({ color: view.color === 'kind' ? 'package' : 'kind' })}
            />{' '}
            Color by package
          </label>
        )}
      </div>
    </details>
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
