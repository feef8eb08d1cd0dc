// SPDX-License-Identifier: Apache-2.0
import { count, duration } from '../state/format.ts';
import { LongName } from '../views/long_name.tsx';
import { api, part } from './api.ts';
import type { GroupFinding } from './contract.ts';
import type { GroupProperties } from './group_properties.ts';
import { GroupTable, momentColumn } from './group_table.tsx';
import { linkTo } from './links.ts';

const ranks = { high: 3, medium: 2, low: 1 };

/** Findings that come back: each rule once, with the applications that have it. */
export const GroupFindings = ({ group, from, to }: GroupProperties) => (
  <GroupTable<{ findings: GroupFinding[] }>
    url={api(`/groups/${part(group)}/findings`, { from, to })}
    label="Findings"
    sort="applications"
    rowsOf={({ findings }) => findings}
    columnsOf={({ findings }) => [
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
      momentColumn('last', 'Last', (row) => findings[row]!.last),
    ]}
    empty="No known problems detected in this time range. Event logs that were not opened yet, and profiles of other tools, are not checked."
  />
);
