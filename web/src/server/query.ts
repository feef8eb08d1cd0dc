// SPDX-License-Identifier: Apache-2.0
// The state of a page in its address, so that links are permanent. A flame graph keeps its own state behind "#".
import { signal } from '../state/signals.ts';

export const query = signal(new URLSearchParams(location.search));
window.addEventListener('popstate', () => {
  query.value = new URLSearchParams(location.search);
});

export type Change = Record<string, string | number | null | undefined>;

/** The parameters after a change; empty values remove one. */
export function changed(before: URLSearchParams, change: Change): URLSearchParams {
  const after = new URLSearchParams(before);
  for (const [name, value] of Object.entries(change)) {
    if (value === null || value === undefined || value === '') after.delete(name);
    else after.set(name, String(value));
  }
  return after;
}

export function pathWith(path: string, parameters: URLSearchParams): string {
  return parameters.size > 0 ? `${path}?${parameters}` : path;
}

/** Changes the address. `push` makes a step that the back button undoes. */
export function setQuery(change: Change, push = false): void {
  const after = changed(query.peek(), change);
  if (after.toString() === query.peek().toString()) return;
  query.value = after;
  history[push ? 'pushState' : 'replaceState'](null, '', pathWith(location.pathname, after) + location.hash);
}
