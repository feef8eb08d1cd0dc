// SPDX-License-Identifier: Apache-2.0
// A group: what all its applications cost in a time range, what comes back, how they are profiled.
import type { ComponentType } from 'preact';
import { count, duration } from '../state/format.ts';
import { api, getJson } from './api.ts';
import { ApplicationList } from './applications_page.tsx';
import { Missing, Problem, TopBar } from './chrome.tsx';
import { ConfigurationForm } from './configuration_form.tsx';
import type { Group } from './contract.ts';
import { flameKeys } from './flame_panel.tsx';
import { GroupFindings } from './group_findings.tsx';
import { GroupFlame } from './group_flame.tsx';
import { GroupFunctionTable } from './group_functions.tsx';
import { GroupProofs } from './group_proofs.tsx';
import { GroupSeriesPanel } from './group_series.tsx';
import { GroupSizes } from './group_sizes.tsx';
import type { GroupProperties } from './group_properties.ts';
import { linkTo } from './links.ts';
import { usePolled } from './poll.ts';
import { query, setQuery } from './query.ts';
import { QueryLink } from './query_link.tsx';
import { RangeSelect } from './range_select.tsx';
import { rangeOf } from './times.ts';

const views: { id: string; label: string; view: ComponentType<GroupProperties> }[] = [
  { id: 'flame', label: 'Flame graph', view: GroupFlame },
  { id: 'functions', label: 'Functions', view: GroupFunctionTable },
  { id: 'findings', label: 'Findings', view: GroupFindings },
  { id: 'proofs', label: 'Proofs', view: GroupProofs },
  { id: 'auto', label: 'Automatic sizes', view: GroupSizes },
  { id: 'applications', label: 'Applications', view: ApplicationList },
  { id: 'configuration', label: 'Configuration', view: ConfigurationForm },
];

/** Two ranges of the same length: the one that is shown, and the one before. */
export function previousRange(group: string, from: number, to: number): string {
  return `/compare?${new URLSearchParams({
    aGroup: group,
    aFrom: String(from),
    aTo: String(to),
    bGroup: group,
    bFrom: String(from - (to - from)),
    bTo: String(from),
  })}`;
}

export function GroupPage({ group }: { group: string }) {
  const { value, error, updated } = usePolled(
    'groups',
    (signal) => getJson<{ groups: Group[] }>(api('/groups'), signal),
    () => true,
  );
  const parameters = query.value;
  const found = value?.groups.find(({ name }) => name === group);
  const facts = found
    ? [
        `${count(found.applications)} application${found.applications === 1 ? '' : 's'}`,
        found.running > 0 && `${found.running} running`,
        found.failed > 0 && `${found.failed} failed`,
        found.cpuSeconds > 0 && `${duration(found.cpuSeconds * 1e9)} CPU`,
      ]
        .filter(Boolean)
        .join(' · ')
    : '';
  if (value && !found) {
    return (
      <>
        <TopBar title={group} keys={[['?', 'this help']]} />
        <Missing error={new Error(`There is no group ${group}.`)}>
          Go to the list of <a href={linkTo.groups}>groups</a>, or <a href={linkTo.search(group)}>search for {group}</a>.
        </Missing>
      </>
    );
  }
  const now = Date.now();
  const range = rangeOf(parameters, now);
  const current = views.find(({ id }) => id === parameters.get('view')) ?? views[0]!;
  const Content = current.view;
  const hasRange = !['configuration', 'proofs', 'auto'].includes(current.id);
  return (
    <>
      <TopBar title={group} facts={facts} keys={flameKeys} />
      <Problem error={error} updated={updated} />
      <section class="tabs with-range" aria-label="View and time">
        <nav aria-label="Views of the group">
          {views.map(({ id, label }) => (
            <QueryLink
              key={id}
              class="tab"
              change={{ view: id === 'flame' ? null : id, cursor: null, at: null }}
              current={id === current.id}>
              {label}
            </QueryLink>
          ))}
        </nav>
        <span class="gap-wide" />
        {hasRange && <RangeSelect label="Time" change={(change) => setQuery({ ...change, cursor: null, at: null }, true)} />}
        {hasRange && range.from !== undefined && (
          <a href={previousRange(group, range.from, range.to ?? now)}>Compare with the range before</a>
        )}
      </section>
      {hasRange && <GroupSeriesPanel group={group} from={range.from} to={range.to} />}
      <Content group={group} from={range.from} to={range.to} event={parameters.get('event') ?? 'cpu'} />
    </>
  );
}
