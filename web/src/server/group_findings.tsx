// SPDX-License-Identifier: Apache-2.0
import { count, duration } from '../state/format.ts';
import { DataTable, type Column } from '../views/data_table.tsx';
import { LongName } from '../views/long_name.tsx';
import { api, getJson, part } from './api.ts';
import { Problem } from './chrome.tsx';
import { linkTo } from './links.ts';
import type { GroupFinding } from './contract.ts';
import type { GroupProperties } from './group_properties.ts';
import { usePolled } from './poll.ts';
import { exactMoment, moment } from './times.ts';

const ranks = { high: 3, medium: 2, low: 1 };

/** Findings that come back: each rule once, with the applications that have it. */
export function GroupFindings({ group, from, to }: GroupProperties) {
  const url = api(`/groups/${part(group)}/findings`, { from, to });
  const { value, error } = usePolled(url, (signal) => getJson<{ findings: GroupFinding[] }>(url, signal));
  const findings = value?.findings ?? [];
  const now = Date.now();
  const columns: Column[] = [
    {
      id: 'severity',
      label: 'Severity',
      width: '84px',
      text: true,
      value: (row) => ranks[findings[row]!.severity] ?? 0,
      show: (row) => <span class={`severity ${findings[row]!.severity}`}>{findings[row]!.severity}</span>,
    },
    {
      id: 'title',
      label: 'Finding (latest)',
      text: true,
      value: (row) => findings[row]!.title,
      title: (row) => findings[row]!.title,
      show: (row) => (
        <a class="row-link" href={linkTo.application(findings[row]!.latestApplication)}>
          <LongName text={findings[row]!.title} />
        </a>
      ),
    },
    {
      id: 'rule',
      label: 'Rule',
      width: '130px',
      text: true,
      value: (row) => findings[row]!.rule,
      show: (row) => <span class="quiet">{findings[row]!.rule}</span>,
    },
    {
      id: 'applications',
      label: 'Applications',
      width: '118px',
      value: (row) => findings[row]!.applications,
      show: (row) => (
        <a href={`${linkTo.applications}?${new URLSearchParams({ group, finding: findings[row]!.rule })}`}>
          {count(findings[row]!.applications)}
        </a>
      ),
    },
    {
      id: 'gain',
      label: 'Could save',
      width: '96px',
      hint: 'Sum over the applications',
      value: (row) => findings[row]!.gainSeconds,
      show: (row) => (findings[row]!.gainSeconds > 0 ? duration(findings[row]!.gainSeconds * 1e9) : <span class="quiet">–</span>),
    },
    {
      id: 'last',
      label: 'Last',
      width: '96px',
      value: (row) => findings[row]!.last,
      show: (row) => moment(findings[row]!.last, now),
      title: (row) => exactMoment(findings[row]!.last),
    },
  ];
  return (
    <main class="list-page">
      <Problem error={error} />
      {value && findings.length === 0 ? (
        <p class="empty">
          No known problems detected in this time range. Event logs that were not opened yet, and profiles of other tools, are not checked.
        </p>
      ) : value ? (
        <DataTable label="Findings" columns={columns} rows={findings.map((_finding, row) => row)} sort="applications" />
      ) : (
        !error && <p class="loading">Loading…</p>
      )}
    </main>
  );
}
