// SPDX-License-Identifier: Apache-2.0
// Filters of the list of applications. Each is a parameter of the address.
import { useRef, useState } from 'preact/hooks';
import { api, getJson } from './api.ts';
import { statuses, type Group } from './contract.ts';
import { DraftInput } from './draft_input.tsx';
import { query, setQuery } from './query.ts';
import { RangeSelect } from './range_select.tsx';

export const filterNames = ['search', 'group', 'user', 'status', 'finding', 'range', 'from', 'to'];
/** ms */
const typingPause = 250;

function setFilter(change: Record<string, string | number | null>): void {
  setQuery({ ...change, cursor: null, at: null });
}

export function FilterBar({ withGroup }: { withGroup: boolean }) {
  const [groups, setGroups] = useState<string[]>([]);
  const asked = useRef(false);
  const parameters = query.value;
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
        <DraftInput
          id="search"
          kind="search"
          placeholder="Search name, ID, user, group  /"
          rest={typingPause}
          value={parameters.get('search') ?? ''}
          commit={(search) => setFilter({ search })}
        />
      </label>
      <label>
        Status{' '}
        <select value={parameters.get('status') ?? ''} onChange={(event) => setFilter({ status: event.currentTarget.value })}>
          <option value="">any</option>
          {statuses.map((status) => (
            <option key={status} value={status}>
              {status}
            </option>
          ))}
        </select>
      </label>
      {withGroup && (
        <label>
          Group{' '}
          <DraftInput
            list="groups"
            value={parameters.get('group') ?? ''}
            focus={() => void askGroups()}
            commit={(name) => setFilter({ group: name })}
          />
          <datalist id="groups">
            {groups.map((name) => (
              <option key={name} value={name} />
            ))}
          </datalist>
        </label>
      )}
      <label>
        User <DraftInput value={parameters.get('user') ?? ''} commit={(user) => setFilter({ user })} />
      </label>
      <label title="The rule of a finding, such as straggler, skew or gc">
        Finding <DraftInput value={parameters.get('finding') ?? ''} commit={(finding) => setFilter({ finding })} />
      </label>
      {withGroup && <RangeSelect label="Ran in" change={setFilter} />}
      {names.some((name) => parameters.has(name)) && (
        <button class="link" onClick={() => setFilter(Object.fromEntries(names.map((name) => [name, null])))}>
          Clear filters
        </button>
      )}
    </section>
  );
}
