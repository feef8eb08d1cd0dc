// SPDX-License-Identifier: Apache-2.0
import { useMemo } from 'preact/hooks';
import { placesFound } from '../analysis/search.ts';
import { useStore } from '../state/store.ts';
import { DataTable, type Column } from './data_table.tsx';
import { FilteredRows } from './filter_notes.tsx';

/** Spark's settings are what people look for, the classpath what they do not. */
const placeOf = (group: string) => (group === 'Spark' ? 0 : group === 'Classpath' ? 2 : 1);

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
  const columns = useMemo<Column[]>(
    () => [
      {
        id: 'group',
        label: 'Group',
        width: '110px',
        text: true,
        value: (row) => `${placeOf(environment[row]!.group)} ${environment[row]!.group}`,
        show: (row) => environment[row]!.group,
      },
      { id: 'name', label: 'Name', text: true, code: true, value: (row) => environment[row]!.name },
      { id: 'value', label: 'Value', text: true, code: true, value: (row) => environment[row]!.value },
    ],
    [environment],
  );
  return (
    <div class="environment">
      <FilteredRows shown={rows.length} total={environment.length} what="entries" filters={['search']} />
      <DataTable label="Environment" columns={columns} rows={rows} sort="group" ascending maxHeight={700} />
      <p class="quiet note">
        Written by {generator}; master {application.master || 'unknown'}; user {application.user || 'unknown'}.
      </p>
    </div>
  );
}
