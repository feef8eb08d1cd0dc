// SPDX-License-Identifier: Apache-2.0
// Filters of the list of applications. Each is a parameter of the address.
import { useEffect, useRef, useState } from 'preact/hooks';
import { api, getJson } from './api.ts';
import { statuses, type Group } from './contract.ts';
import { query, setQuery } from './query.ts';
import { RangeSelect } from './range_select.tsx';

export const filterNames = ['search', 'group', 'user', 'status', 'finding', 'range', 'from', 'to'];
const typingPause = 250;

function setFilter(change: Record<string, string | number | null>): void {
  setQuery({ ...change, cursor: null, at: null });
}

export function FilterBar({ withGroup }: { withGroup: boolean }) {
  const [groups, setGroups] = useState<string[]>([]);
  const asked = useRef(false);
  const timer = useRef<ReturnType<typeof setTimeout> | undefined>(undefined);
  const parameters = query.value;
  useEffect(() => () => clearTimeout(timer.current), []);
  const askGroups = async () => {
    if (asked.current) return;
    asked.current = true;
    try {
      setGroups((await getJson<{ groups: Group[] }>(api('/groups'))).groups.map((group) => group.name));
    } catch {
      // suggestions only; the list shows what is wrong with the server
    }
  };
  const names = filterNames.filter((name) => withGroup || !['range', 'from', 'to'].includes(name));
  return (
    <section class="selection filters" aria-label="Filters">
      <label class="filter-search">
        <span class="visually-hidden">Search in names, IDs, users and groups</span>
        <input id="search" type="search" placeholder="Search name, ID, user, group  /" value={parameters.get('search') ?? ''} spellcheck={false}
          onInput={(event) => {
            const { value } = event.currentTarget;
            clearTimeout(timer.current);
            timer.current = setTimeout(() => setFilter({ search: value }), typingPause);
          }} />
      </label>
      <label>Status{' '}
        <select value={parameters.get('status') ?? ''} onChange={(event) => setFilter({ status: event.currentTarget.value })}>
          <option value="">any</option>
          {statuses.map((status) => <option key={status} value={status}>{status}</option>)}
        </select>
      </label>
      {withGroup && (
        <label>Group{' '}
          <input list="groups" size={14} value={parameters.get('group') ?? ''} onFocus={() => void askGroups()} onChange={(event) => setFilter({ group: event.currentTarget.value.trim() })} />
          <datalist id="groups">{groups.map((name) => <option key={name} value={name} />)}</datalist>
        </label>
      )}
      <label>User{' '}<input size={10} value={parameters.get('user') ?? ''} onChange={(event) => setFilter({ user: event.currentTarget.value.trim() })} /></label>
      <label title="The rule of a finding, such as straggler, skew or gc">Finding{' '}
        <input size={10} value={parameters.get('finding') ?? ''} onChange={(event) => setFilter({ finding: event.currentTarget.value.trim() })} />
      </label>
      {withGroup && <RangeSelect label="Ran in" change={setFilter} />}
      {names.some((name) => parameters.has(name)) && (
        <button class="link" onClick={() => { clearTimeout(timer.current); setFilter(Object.fromEntries(names.map((name) => [name, null]))); }}>Clear filters</button>
      )}
    </section>
  );
}
