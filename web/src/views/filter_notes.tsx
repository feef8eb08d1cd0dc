// SPDX-License-Identifier: Apache-2.0
// Says which filters of the selection a tab leaves aside, and which ones hide rows; each with a way to clear them.
import type { Selection } from '../data/contract.ts';
import { useStore } from '../state/store.ts';
import { describe, without, type Dimension } from './describe.ts';

/** `event` is no filter: which samples count */
export type Filter = Dimension | 'search' | 'event';

function filtersOf(selection: Selection): { filter: Filter; text: string }[] {
  const parts: { filter: Filter; text: string }[] = describe(selection).map(({ dimension, text }) => ({
    filter: dimension,
    text: `${dimension} ${text}`,
  }));
  if (selection.search) parts.push({ filter: 'search', text: `search “${selection.search}”` });
  return parts;
}

function useClear() {
  const store = useStore();
  return (filters: { filter: Filter }[]) =>
    store.select(
      Object.assign(
        {},
        ...filters.map(({ filter }) => (filter === 'search' ? { search: undefined } : filter === 'event' ? {} : without(filter))),
      ) as Partial<Selection>,
    );
}

/** Filters that are set and that the tab does not use. */
export function UnusedFilters({ uses }: { uses: readonly Filter[] }) {
  const clear = useClear();
  const unused = filtersOf(useStore().selection.value).filter(({ filter }) => !uses.includes(filter));
  if (unused.length === 0) return null;
  return (
    <p class="filter-note unused quiet" role="status">
      Not applied on this tab: {unused.map(({ text }) => text).join(', ')}.{' '}
      <button class="link" onClick={() => clear(unused)}>
        Clear
      </button>
    </p>
  );
}

/** Says that `filters` leave `shown` of `total` rows. */
export function FilteredRows({ shown, total, what, filters }: { shown: number; total: number; what: string; filters: readonly Filter[] }) {
  const clear = useClear();
  const active = filtersOf(useStore().selection.value).filter(({ filter }) => filters.includes(filter));
  if (shown === total || active.length === 0) return null;
  return (
    <p class="filter-note" role="status">
      {shown === 0 ? `None of ${total}` : `${shown} of ${total}`} {what} {shown === 1 ? 'matches' : 'match'}{' '}
      {active.map(({ text }) => text).join(', ')}.{' '}
      <button class="link" onClick={() => clear(active)}>
        Show all
      </button>
    </p>
  );
}
