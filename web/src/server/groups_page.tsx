// SPDX-License-Identifier: Apache-2.0
import { useMemo } from 'preact/hooks';
import { count, duration, money } from '../state/format.ts';
import { DataTable, withValues, type Column } from '../views/data_table.tsx';
import { LongName } from '../views/long_name.tsx';
import { Sparkline } from '../views/sparkline.tsx';
import { plural } from '../views/text.ts';
import { api, getJson } from './api.ts';
import { Problem, TopBar } from './chrome.tsx';
import { linkTo } from './links.ts';
import type { ApplicationPage, Group, ListedApplication } from './contract.ts';
import { Delta } from './compare/delta.tsx';
import { FirstApplication } from './first_application.tsx';
import { usePolled } from './poll.ts';
import { releasesOf } from './releases.ts';
import { exactMoment, moment } from './times.ts';

const shownRuns = 20;
const mostRuns = 500;
const barWidth = 4;

export function GroupsPage() {
  const { value, error, updated } = usePolled(
    'groups',
    (signal) => getJson<{ groups: Group[] }>(api('/groups'), signal),
    () => true,
  );
  const { value: latest } = usePolled(
    'latest applications',
    (signal) => getJson<ApplicationPage>(api('/applications', { sort: '-startTime', limit: mostRuns }), signal),
    () => true,
  );
  const groups = value?.groups ?? [];
  /** the latest first */
  const runs = useMemo(() => {
    const byGroup = new Map<string, ListedApplication[]>();
    for (const run of latest?.applications ?? []) {
      if (run.status !== 'finished') continue;
      const list = byGroup.get(run.group) ?? [];
      if (list.length < shownRuns) byGroup.set(run.group, [...list, run]);
    }
    return byGroup;
  }, [latest]);
  const runsOf = (row: number) => runs.get(groups[row]!.name) ?? [];
  const now = Date.now();
  const number = (row: number, key: 'applications' | 'running' | 'failed') => groups[row]![key];
  const plain = (key: 'applications' | 'running' | 'failed', label: string): Column => ({
    id: key,
    label,
    width: '118px',
    value: (row) => number(row, key),
    show: (row) => (number(row, key) > 0 ? count(number(row, key)) : <span class="quiet">–</span>),
  });
  const columns = withValues(
    new Set(['cost']),
    [...groups.keys()],
    [
      {
        id: 'name',
        label: 'Group',
        text: true,
        value: (row) => groups[row]!.name,
        show: (row) => (
          <b>
            <LongName text={groups[row]!.name || '(none)'} />
          </b>
        ),
      },
      {
        id: 'runs',
        label: 'Latest runs',
        width: '210px',
        hint: `Durations of the latest ${shownRuns} finished runs and the last change; a line marks a new version of the job or Spark`,
        value: (row) => runsOf(row)[0]?.durationMs ?? 0,
        show: (row) => {
          const [last, before] = runsOf(row);
          if (!last) return <span class="quiet">–</span>;
          const inOrder = [...runsOf(row)].reverse();
          const releases = releasesOf(inOrder);
          return (
            <span class="latest-runs">
              {before && (
                <Sparkline
                  values={inOrder.map(({ durationMs }) => durationMs)}
                  width={barWidth * inOrder.length}
                  marks={releases}
                  label={[`Durations of ${inOrder.length} runs`, ...releases.map(({ at, text }) => `${text} at run ${at + 1}`)].join('; ')}
                />
              )}
              {duration(last.durationMs * 1e6)}
              <Delta now={last.durationMs} before={before?.durationMs} />
            </span>
          );
        },
      },
      plain('applications', 'Applications'),
      plain('running', 'Running'),
      plain('failed', 'Failed'),
      {
        id: 'cpu',
        label: 'CPU',
        width: '96px',
        value: (row) => groups[row]!.cpuSeconds,
        show: (row) => (groups[row]!.cpuSeconds > 0 ? duration(groups[row]!.cpuSeconds * 1e9) : <span class="quiet">unknown</span>),
      },
      {
        id: 'cost',
        label: `Cost, ${groups.find(({ cost }) => cost)?.cost?.currency}`,
        width: '104px',
        hint: 'Of the executors of its applications, from their start to their end',
        value: (row) => groups[row]!.cost?.total ?? 0,
        show: (row) => {
          const { cost } = groups[row]!;
          return cost ? money(cost.total) : <span class="quiet">–</span>;
        },
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
    ],
  );
  return (
    <>
      <TopBar title="Groups" facts={value ? plural(groups.length, 'group') : ''} keys={[['?', 'this help']]} />
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
            href={(row) => linkTo.group(groups[row]!.name)}
          />
        )}
        <p class="quiet note">
          A job names its group with <code class="code">spark.sparkprof.label</code>; without it the group is the name of the application.
        </p>
      </main>
    </>
  );
}
