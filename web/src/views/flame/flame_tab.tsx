// SPDX-License-Identifier: Apache-2.0
import { useSignal, useSignalEffect } from '../../state/signals.ts';
import { useEffect, useMemo, useRef, useState } from 'preact/hooks';
import { pathTo, rowOfPath, stemOf } from '../../analysis/flame/flame_layout.ts';
import { isProfileAlone } from '../../data/model.ts';
import { usePart, useStore } from '../../state/store.ts';
import { ComparedMetrics } from '../compared_metrics.tsx';
import { FlameDetails, FunctionDetails } from './flame_details.tsx';
import { emptyFlameSentence } from './flame_empty.ts';
import { FlameGraph } from './flame_graph.tsx';
import { moveKey } from './flame_keys.ts';
import { FlameMenu, type MenuPlace } from './flame_menu.tsx';
import { FlamePath } from './flame_path.tsx';
import { FlameTable } from './flame_table.tsx';
import { FlameToolbar } from './flame_toolbar.tsx';
import { FlameTree } from './flame_tree.tsx';
import { SourceCode } from './source_code.tsx';
import { ProfileVerdict } from './top_functions.tsx';

export function FlameTab() {
  const store = useStore();
  const selected = useSignal(-1);
  const menu = useSignal<MenuPlace | null>(null);
  const area = useRef<HTMLDivElement>(null);
  const flame = store.flame.value;
  const { view } = store;
  const { layout } = flame.main;
  const zoom = view.value.zoom < layout.count ? view.value.zoom : 0;
  const shared = useMemo(() => stemOf(layout), [layout]);
  const stem = view.value.stem ? 0 : shared;
  const fits = useSignal(true);
  const known = useRef({ layout, names: store.labelNames });
  useSignalEffect(() => {
    const now = store.flame.value.main.layout;
    const before = known.current;
    if (before.layout === now) return;
    const names = store.labelNames;
    known.current = { layout: now, names };
    const row = selected.peek();
    // a row number means nothing in another layout; later data of the same application still have the frame
    selected.value =
      row < 0 || names === before.names
        ? -1
        : rowOfPath(
            now,
            pathTo(before.layout, row).map((step) => before.names[before.layout.label[step]!] ?? ''),
            (label) => names[label] ?? '',
          );
    menu.value = null;
  });
  // draw first: sums over all functions can take a while on large profiles
  const [painted, setPainted] = useState(false);
  useEffect(() => {
    const timer = setTimeout(() => setPainted(true));
    return () => clearTimeout(timer);
  }, []);
  const empty = emptyFlameSentence(store);
  const [pickedName] = usePart('function');
  const picked = pickedName ? store.labelNames.indexOf(pickedName) : -1;
  const onKey = (event: KeyboardEvent) => {
    if (event.key === 's' && view.value.table && picked >= 0) {
      event.preventDefault();
      store.update({ sandwich: pickedName, reversed: false, table: false, timeOrder: false });
    } else if (moveKey(store, selected, event)) event.preventDefault();
    else if (event.key === 'm' && selected.value >= 0) {
      event.preventDefault();
      const box = area.current!.getBoundingClientRect();
      menu.value = { row: selected.value, x: box.left + 40, y: box.top + 40 };
    }
  };
  return (
    <div class="flame-tab" onKeyDown={view.value.table ? onKey : undefined}>
      {isProfileAlone(store.model.report) && <ProfileVerdict painted={painted} />}
      <ComparedMetrics />
      <FlameToolbar />
      <FlamePath layout={layout} zoom={zoom} shared={fits.value || view.value.tree ? 0 : shared} />
      {empty ? (
        <p class="empty" role="status">
          {empty}
        </p>
      ) : (
        <div class="flame-columns">
          {view.value.table ? (
            painted ? (
              <FlameTable />
            ) : (
              <section class="flame-table" />
            )
          ) : (
            <div
              class="flame-area"
              ref={area}
              tabIndex={0}
              role="group"
              onKeyDown={onKey}
              aria-label="Flame graph. Arrow keys move, Enter zooms in, Backspace zooms out, m opens the menu. The tree view shows the same data as text.">
              {view.value.tree ? (
                <FlameTree selected={selected} zoom={zoom} />
              ) : (
                <>
                  {flame.callers && <FlameGraph kind="callers" picture={flame.callers} selected={selected} menu={menu} zoom={0} stem={0} />}
                  <FlameGraph kind="main" picture={flame.main} selected={selected} menu={menu} zoom={zoom} stem={stem} fits={fits} />
                </>
              )}
            </div>
          )}
          {view.value.table && picked >= 0 ? (
            <FunctionDetails label={picked} />
          ) : (
            <FlameDetails selected={selected} zoom={zoom} painted={painted} />
          )}
        </div>
      )}
      {!empty && <SourceCode selected={selected} zoom={zoom} />}
      {menu.value && (
        <FlameMenu
          place={menu.value}
          close={() => {
            menu.value = null;
            area.current?.focus();
          }}
        />
      )}
    </div>
  );
}
