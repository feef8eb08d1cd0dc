// SPDX-License-Identifier: Apache-2.0
import { useMemo } from 'preact/hooks';
import { placesFound } from '../analysis/search.ts';
import { useStore } from '../state/store.ts';
import { DataTable, type Column } from './data_table.tsx';
import { FilteredRows } from './filter_notes.tsx';
import { TurnedSection } from './turned_section.tsx';

/** Sections that are open at first; a search opens all. */
const openAtFirst = 3;
const mostHeight = 480;

export function EnvironmentTab() {
  const store = useStore();
  const { environment, generator, application } = store.model.report;
  const { search } = store.selection.value;
  const rows = useMemo(
    () =>
      placesFound(
        environment.map(({ name, value }) => `${name} ${value}`),
        search,
      ),
    [environment, search],
  );
  const sections = useMemo(() => [...new Set(rows.map((row) => environment[row]!.section))], [environment, rows]);
  return (
    <div class="environment">
      <FilteredRows shown={rows.length} total={environment.length} what="entries" filters={['search']} />
      {sections.map((title, at) => (
        <Section
          key={title}
          title={title}
          rows={rows.filter((row) => environment[row]!.section === title)}
          isOpen={at < openAtFirst || !!search}
        />
      ))}
      <p class="quiet note">
        Written by {generator}; master {application.master || 'unknown'}; user {application.user || 'unknown'}.
      </p>
    </div>
  );
}

function Section({ title, rows, isOpen }: { title: string; rows: number[]; isOpen: boolean }) {
  const { environment } = useStore().model.report;
  const columns = useMemo<Column[]>(
    () => [
      { id: 'name', label: 'Name', text: true, code: true, value: (row) => environment[row]!.name },
      { id: 'value', label: 'Value', text: true, code: true, value: (row) => environment[row]!.value },
    ],
    [environment],
  );
  return (
    <TurnedSection class="environment-section" title={title} number={rows.length} isOpenAtFirst={isOpen}>
      {() => <DataTable label={title} columns={columns} rows={rows} sort="name" ascending maxHeight={mostHeight} />}
    </TurnedSection>
  );
}
