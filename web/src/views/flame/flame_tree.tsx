// SPDX-License-Identifier: Apache-2.0
// The flame graph as an ARIA tree: the same layout, zoom and picked frame, as text.
import type { Signal } from '../../state/signals.ts';
import { Fragment } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import { pathTo } from '../../analysis/flame/flame_layout.ts';
import { shortName } from '../../charts/flame/labels.ts';
import { amount, share } from '../../state/format.ts';
import { useStore } from '../../state/store.ts';
import { frameName } from './flame_numbers.ts';

/** Children beyond this number are counted, not listed, to keep screen readers usable. */
const mostChildren = 50;

export function FlameTree({ selected, zoom }: { selected: Signal<number>; zoom: number }) {
  const store = useStore();
  const picture = store.flame.value.main;
  const { layout } = picture;
  const [open, setOpen] = useState<Set<number>>(new Set());
  const host = useRef<HTMLUListElement>(null);
  useEffect(() => {
    // expands the heaviest path while it has the clear majority
    const start = new Set<number>();
    for (let row = zoom, depth = 0; row + 1 < layout.next[row]! && depth < 40; row++, depth++) {
      start.add(row);
      if (layout.total[row + 1]! < layout.total[row]! * 0.6) break;
    }
    setOpen(start);
  }, [layout, zoom]);
  useEffect(() => {
    const row = selected.value;
    if (row < 0 || row >= layout.count) return;
    setOpen((before) => new Set([...before, ...pathTo(layout, row).slice(0, -1)]));
    requestAnimationFrame(() => {
      // the selection may have changed meanwhile, and a selection from elsewhere must not move the focus here
      const item = host.current?.querySelector<HTMLElement>(`[data-row="${selected.peek()}"]`);
      if (item && document.activeElement !== item && host.current!.contains(document.activeElement)) item.focus();
    });
  }, [selected.value]);
  const toggle = (row: number, wanted: boolean) =>
    setOpen((before) => {
      const after = new Set(before);
      if (wanted) after.add(row);
      else after.delete(row);
      return after;
    });
  const onKey = (event: KeyboardEvent) => {
    const items = [...host.current!.querySelectorAll<HTMLElement>('[role=treeitem]')];
    const focused = document.activeElement as HTMLElement;
    const at = items.indexOf(focused);
    const row = at < 0 ? zoom : Number(focused.dataset.row);
    if (event.key === 'ArrowDown') items[Math.min(items.length - 1, at + 1)]?.focus();
    else if (event.key === 'ArrowUp') items[Math.max(0, at - 1)]?.focus();
    else if (event.key === 'ArrowRight') toggle(row, true);
    else if (event.key === 'ArrowLeft') {
      if (open.has(row)) toggle(row, false);
      else selected.value = Math.max(zoom, layout.parent[row]!);
    } else return;
    event.preventDefault();
    event.stopPropagation();
  };
  const unit = store.event.value?.unit ?? 'ns';
  const whole = store.flame.value.sums[0] || 1;
  const first = picture.total[0]!;
  const item = (row: number, level: number, place: number, siblings: number) => {
    const leaf = row + 1 >= layout.next[row]!;
    const isOpen = open.has(row);
    const name = frameName(store, picture, row);
    const value = first[layout.node[row]!]!;
    return (
      <Fragment key={row}>
        <li
          role="treeitem"
          aria-level={level}
          aria-setsize={siblings}
          aria-posinset={place}
          data-row={row}
          aria-expanded={leaf ? undefined : isOpen}
          aria-selected={row === selected.value}
          tabIndex={row === (selected.value < 0 ? zoom : selected.value) ? 0 : -1}
          aria-description={`${name}, self ${amount(picture.self[0]![layout.node[row]!]!, unit)}`}
          onFocus={() => {
            selected.value = row;
          }}>
          <div
            class="tree-row"
            style={{ paddingLeft: `${(level - 1) * 14}px` }}
            onClick={() => {
              toggle(row, !isOpen);
              selected.value = row;
            }}>
            <span class="twig" aria-hidden="true">
              {leaf ? '' : isOpen ? '▾' : '▸'}
            </span>
            <span class="tree-share">{share(value / whole)}</span>
            <span class="tree-amount">{amount(value, unit)}</span>
            <span class="code" title={name}>
              {shortName(name)}
            </span>
          </div>
        </li>
        {isOpen && !leaf && children(row, level + 1)}
      </Fragment>
    );
  };
  const children = (row: number, level: number) => {
    const rows: number[] = [];
    let more = 0;
    for (let child = row + 1; child < layout.next[row]!; child = layout.next[child]!) {
      if (rows.length < mostChildren) rows.push(child);
      else more++;
    }
    return (
      <>
        {rows.map((child, i) => item(child, level, i + 1, rows.length + more))}
        {more > 0 && (
          <li role="none" class="quiet">
            and {more} smaller ones
          </li>
        )}
      </>
    );
  };
  return (
    <ul class="tree" role="tree" aria-label="Frames" ref={host} onKeyDown={onKey}>
      {item(zoom, 1, 1, 1)}
    </ul>
  );
}
