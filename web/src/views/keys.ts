// SPDX-License-Identifier: Apache-2.0
// Keys that work everywhere on the page. A view with keys of its own handles them on its own element first.
import type { Store } from '../state/store.ts';
import { compareByDefault } from './compare.ts';
import { tabsOf } from './tabs.ts';

/** The keys 1 to 9, and 0 for the tenth, show tabs. */
export const numberedTabs = 10;

export function handleKey(store: Store, event: KeyboardEvent): void {
  // a panel over the page has keys of its own, and Escape closes it first
  if (document.querySelector(':popover-open, dialog[open]')) return;
  if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey) return;
  const target = event.target as HTMLElement;
  const typing = /^(input|select|textarea)$/i.test(target.tagName);
  if (typing && event.key !== 'Escape') return;
  const view = store.view.value;
  const handled = () => event.preventDefault();
  if (event.key === 'Escape') {
    handled();
    backOut(store, target);
  } else if (event.key === '/') {
    handled();
    document.getElementById('search')?.focus();
  } else if (event.key === '?') {
    store.help.value = true;
  } else if (event.key === 'i') {
    store.update({ flames: !view.flames });
  } else if (event.key === 'r') {
    store.update({ reversed: view.table || !view.reversed, table: false, sandwich: '', timeOrder: false });
  } else if (event.key === 'o') {
    store.update({ timeOrder: view.table || !view.timeOrder, table: false, sandwich: '', reversed: false });
  } else if (event.key === 't') {
    store.update({ table: !view.table });
  } else if (event.key === 'l') {
    store.update({ timeline: !view.timeline });
  } else if (event.key === 'c') {
    if (view.versus) store.update({ versus: null }, true);
    else compareByDefault(store);
  } else if (/^[0-9]$/.test(event.key)) {
    const tab = tabsOf(store.model.report)[(Number(event.key) + numberedTabs - 1) % numberedTabs];
    if (tab) store.update({ tab: tab.id }, true);
  }
}

/** Undoes the innermost thing first. */
function backOut(store: Store, target: HTMLElement): void {
  const { selection, sandwich, zoom, transforms, versus } = store.view.value;
  if (target.id === 'search') target.blur();
  if (selection.search) {
    const { search: _search, ...rest } = selection;
    store.update({ selection: rest });
  } else if (zoom) store.update({ zoom: 0 });
  else if (sandwich) store.update({ sandwich: '' });
  else if (transforms.length > 0) store.update({ transforms: [] });
  else if (versus) store.update({ versus: null }, true);
}
