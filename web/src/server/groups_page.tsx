// SPDX-License-Identifier: Apache-2.0
import { count, duration } from '../state/format.ts';
import { DataTable, type Column } from '../views/data_table.tsx';
import { LongName } from '../views/long_name.tsx';
import { api, getJson } from './api.ts';
import { linkTo, Problem, TopBar } from './chrome.tsx';
import type { Group } from './contract.ts';
import { FirstApplication } from './first_application.tsx';
import { usePolled } from './poll.ts';
import { exactMoment, moment } from './times.ts';

export function GroupsPage() {
  const { value, error, updated } = usePolled(
    'groups',
    (signal) => getJson<{ groups: Group[] }>(api('/groups'), signal),
    () => true,
  );
  const groups = value?.groups ?? [];
  const now = Date.now();
  const number = (row: number, key: 'applications' | 'running' | 'failed') => groups[row]![key];
  const plain = (key: 'applications' | 'running' | 'failed', label: string): Column => ({
    id: key,
    label,
    width: '118px',
    value: (row) => number(row, key),
    show: (row) => (number(row, key) > 0 ? count(number(row, key)) : <span class="quiet">–</span>),
  });
  const columns: Column[] = [
    {
      id: 'name',
      label: 'Group',
      text: true,
      value: (row) => groups[row]!.name,
      show: (row) => (
        <a class="row-link" href={linkTo.group(groups[row]!.name)}>
          <LongName text={groups[row]!.name || '(none)'} />
        </a>
      ),
    },
    plain('applications', 'Applications'),
    plain('running', 'Running'),
    plain('failed', 'Failed'),
    {
      id: 'cpu',
      label: 'CPU',
      width: '96px',
      value: (row) => groups[row]!.cpuSeconds,
      show: (row) => duration(groups[row]!.cpuSeconds * 1e9),
    },
    {
      id: 'first',
      label: 'First start',
      width: '110px',
      value: (row) => groups[row]!.firstStart,
      show: (row) => moment(groups[row]!.firstStart, now),
      title: (row) => exactMoment(groups[row]!.firstStart),
    },
    {
      id: 'last',
      label: 'Last start',
      width: '110px',
      value: (row) => groups[row]!.lastStart,
      show: (row) => moment(groups[row]!.lastStart, now),
      title: (row) => exactMoment(groups[row]!.lastStart),
    },
  ];
  return (
    <>
      <TopBar title="Groups" facts={value ? `${groups.length}` : ''} keys={[['?', 'this help']]} />
      <main class="list-page">
        <Problem error={error} updated={updated} />
        {value && groups.length === 0 ? (
          <FirstApplication />
        ) : !value && !error ? (
          <p class="loading">Loading…</p>
        ) : (
          <DataTable
            label="Groups"
            columns={columns}
            rows={groups.map((_group, row) => row)}
            sort="last"
            pick={(row) => location.assign(linkTo.group(groups[row]!.name))}
          />
        )}
        <p class="quiet note">
          A job names its group with <code class="code">spark.sparkprof.label</code>; without it the group is the name of the application.
        </p>
      </main>
    </>
  );
}
