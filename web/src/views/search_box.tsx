// SPDX-License-Identifier: Apache-2.0
import { useStore } from '../state/store.ts';

/** Searches frames and tables by regular expression. */
export function SearchBox() {
  const store = useStore();
  const search = store.view.value.selection.search ?? '';
  const result = store.search.value;
  return (
    <label class="search">
      <span class="visually-hidden">Search frames and tables by regular expression</span>
      <input
        id="search"
        type="search"
        placeholder="Search (regex)  /"
        value={search}
        spellcheck={false}
        aria-invalid={result.error !== ''}
        title={result.error || 'Regular expression; case-sensitive if it has capital letters'}
        onInput={(e) => store.update({ selection: searching(store.view.value.selection, e.currentTarget.value) })}
      />
    </label>
  );
}

function searching(selection: { search?: string }, text: string) {
  const { search: _before, ...rest } = selection;
  return text ? { ...rest, search: text } : rest;
}
