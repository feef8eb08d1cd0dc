// SPDX-License-Identifier: Apache-2.0
// The report's flame graph on other pages, with its search, event and keys.
import type { ComponentChildren } from 'preact';
import { useEffect } from 'preact/hooks';
import { StoreContext, type Store } from '../state/store.ts';
import { FlameTab } from '../views/flame/flame_tab.tsx';
import { SearchBox } from '../views/search_box.tsx';
import { isPlain } from './chrome.tsx';

export const events = [
  { name: 'cpu', label: 'CPU' },
  { name: 'wall', label: 'Wall clock (latency)' },
  { name: 'alloc', label: 'Allocations' },
  { name: 'lock', label: 'Lock waits' },
];

export const flameKeys: [string, string][] = [
  ['/', 'search'],
  ['← ↑ → ↓', 'move through frames'],
  ['Enter', 'zoom into the frame'],
  ['Backspace', 'zoom out'],
  ['i', 'icicles or flames'],
  ['r', 'reverse: show callers'],
  ['t', 'table of functions'],
  ['m', 'menu of the frame'],
  ['Esc', 'leave search, zoom'],
  ['?', 'this help'],
];

interface Properties {
  store: Store;
  event: string;
  choices: { name: string; label: string }[];
  choose(event: string): void;
  children?: ComponentChildren;
}

export function FlamePanel({ store, event, choices, choose, children }: Properties) {
  useEffect(() => {
    const listener = (key: KeyboardEvent) => handleKey(store, key);
    window.addEventListener('keydown', listener);
    return () => window.removeEventListener('keydown', listener);
  }, [store]);
  return (
    <StoreContext.Provider value={store}>
      <section class="selection" aria-label="What the flame graph shows">
        <label>
          Event{' '}
          <select id="event" value={event} onChange={(change) => choose(change.currentTarget.value)}>
            {choices.map(({ name, label }) => (
              <option key={name} value={name}>
                {label}
              </option>
            ))}
          </select>
        </label>
        {children}
        <span class="gap-wide" />
        <SearchBox />
      </section>
      <FlameTab />
    </StoreContext.Provider>
  );
}

function handleKey(store: Store, event: KeyboardEvent): void {
  const view = store.view.value;
  if (event.key === 'Escape' && !event.defaultPrevented) {
    const { search, ...rest } = view.selection;
    if (event.target instanceof HTMLElement && event.target.id === 'search') event.target.blur();
    if (search) store.update({ selection: rest });
    else if (view.zoom) store.update({ zoom: 0 });
    else if (view.sandwich) store.update({ sandwich: '' });
    else if (view.transforms.length > 0) store.update({ transforms: [] });
    return;
  }
  if (!isPlain(event)) return;
  if (event.key === '/') document.getElementById('search')?.focus();
  else if (event.key === 'i') store.update({ flames: !view.flames });
  else if (event.key === 'r') store.update({ reversed: !view.reversed, sandwich: '' });
  else if (event.key === 't') store.update({ table: !view.table });
  else return;
  event.preventDefault();
}
