// SPDX-License-Identifier: Apache-2.0
import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import { DataTable, type Column } from '../../views/data_table.tsx';
import { LongName } from '../../views/long_name.tsx';
import { plural } from '../../views/text.ts';
import { changesAlways } from './compare_changes.ts';
import type { Comparison } from '../contract.ts';

/** The settings that tell something about the job: as many as the table shows at first. */
export const tellingSettings = (settings: Comparison['settings']) => settings.filter((setting) => !changesAlways(setting));

/** Settings that differ. Those that tell nothing of the job are hidden at first. */
export function ComparedSettings({ settings }: { settings: Comparison['settings'] }) {
  const [all, setAll] = useState(false);
  const [search, setSearch] = useState('');
  const wanted = search.toLowerCase();
  const rows = settings.flatMap((setting, row) =>
    (all || !changesAlways(setting)) && `${setting.name} ${setting.a ?? ''} ${setting.b ?? ''}`.toLowerCase().includes(wanted) ? [row] : [],
  );
  const value = (text: string | null): ComponentChildren =>
    text === null ? (
      <span class="quiet">not set</span>
    ) : (
      <span class="code">
        <LongName text={text} />
      </span>
    );
  const columns: Column[] = [
    { id: 'name', label: 'Setting', text: true, value: (row) => settings[row]!.name, title: (row) => settings[row]!.name },
    ...(['b', 'a'] as const).map(
      (side): Column => ({
        id: side,
        label: side === 'a' ? 'This run' : 'Baseline',
        text: true,
        value: (row) => settings[row]![side] ?? '',
        title: (row) => settings[row]![side] ?? 'not set',
        show: (row) => value(settings[row]![side]),
      }),
    ),
  ];
  const hidden = settings.length - tellingSettings(settings).length;
  return (
    <main class="list-page">
      <section class="selection" aria-label="Filter settings">
        <input
          type="search"
          aria-label="Search settings"
          placeholder="Search settings"
          value={search}
          onInput={(event) => setSearch(event.currentTarget.value)}
        />
        {hidden > 0 && (
          <label>
            <input type="checkbox" checked={all} onChange={() => setAll(!all)} /> Include {plural(hidden, 'setting')} that differ in any two
            runs: IDs, ports, times, the class path
          </label>
        )}
      </section>
      {rows.length === 0 ? (
        <p class="empty">{settings.length === 0 ? 'No settings differ.' : 'No other setting differs.'}</p>
      ) : (
        <DataTable label="Settings that differ" columns={columns} rows={rows} sort="name" ascending />
      )}
    </main>
  );
}
