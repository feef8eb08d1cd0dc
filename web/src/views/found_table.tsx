// SPDX-License-Identifier: Apache-2.0
// A table of the entries that the search finds, with a note about the others.
import { useMemo } from 'preact/hooks';
import { placesFound } from '../analysis/search.ts';
import { useStore } from '../state/store.ts';
import { DataTable, type TableProperties } from './data_table.tsx';
import { FilteredRows, type Filter } from './filter_notes.tsx';

interface Properties extends Omit<TableProperties, 'rows'> {
  /** of each entry; a row is a place in them */
  texts: string[];
  /** the entries, for the note */
  what: string;
  /** other filters that `isIn` follows */
  filters?: Filter[];
  isIn?(row: number): boolean;
}

const always = () => true;

export function FoundTable({ texts, what, filters = [], isIn = always, ...table }: Properties) {
  const { search } = useStore().selection.value;
  const found = useMemo(() => placesFound(texts, search), [texts, search]);
  const rows = useMemo(() => found.filter(isIn), [found, isIn]);
  return (
    <>
      <FilteredRows shown={rows.length} total={texts.length} what={what} filters={['search', ...filters]} />
      <DataTable {...table} rows={rows} />
    </>
  );
}
