// SPDX-License-Identifier: Apache-2.0
// Results: the runs of suites.
import { useMemo } from 'preact/hooks';
import { duration } from '../state/format.ts';
import { DataTable, type Column } from '../views/data_table.tsx';
import { plural } from '../views/text.ts';
import { api, getJson } from './api.ts';
import { Problem, TopBar } from './chrome.tsx';
import { linkTo } from './links.ts';
import { Delta } from './compare/delta.tsx';
import { usePolled } from './poll.ts';
import { runsBefore } from './run_before.ts';
import type { Run } from './runs.ts';
import { exactMoment, moment } from './times.ts';

const busy = 10e3;

export function RunsPage() {
  const { value, error, updated } = usePolled(
    'runs',
    (signal) => getJson<{ runs: Run[]; total: number }>(api('/runs'), signal),
    ({ runs }) => runs.some(({ endTime, startTime }) => endTime === null && Date.now() - startTime < 86400e3 + busy),
  );
  const runs = value?.runs ?? [];
  const now = Date.now();
  const of = (row: number) => runs[row]!;
  const lasting = ({ startTime, endTime }: Run) => (endTime === null ? null : endTime - startTime);
  const before = useMemo(
    () => runsBefore(runs.map((run) => ({ key: run.suiteName, startTime: run.startTime, durationMs: lasting(run) }))),
    [value],
  );
  const runBefore = (row: number) => runs[before[row]!];
  const text = (id: 'suiteName' | 'version' | 'user' | 'overallStatus', label: string, width?: string): Column => ({
    id,
    label,
    text: true,
    width,
    value: (row) => of(row)[id],
    show: (row) => of(row)[id] || <span class="quiet">–</span>,
  });
  const columns: Column[] = [
    { id: 'id', label: 'Run', width: '70px', value: (row) => of(row).id, show: (row) => <b>{of(row).id}</b> },
    text('suiteName', 'Suite'),
    text('overallStatus', 'Status', '110px'),
    {
      ...text('version', 'Version', '150px'),
      show: (row) => {
        const { version } = of(row);
        const last = runBefore(row)?.version;
        return version ? (
          <>
            {version}{' '}
            {last !== undefined && last !== version && (
              <span class="tag" title={`Version ${last || 'unknown'} in the run before`}>
                new
              </span>
            )}
          </>
        ) : (
          <span class="quiet">–</span>
        );
      },
    },
    text('user', 'User', '110px'),
    {
      id: 'start',
      label: 'Start',
      width: '110px',
      value: (row) => of(row).startTime,
      show: (row) => moment(of(row).startTime, now),
      title: (row) => exactMoment(of(row).startTime),
    },
    {
      id: 'duration',
      label: 'Duration',
      width: '140px',
      value: (row) => (of(row).endTime ?? now) - of(row).startTime,
      show: (row) => {
        const ms = lasting(of(row));
        const last = runBefore(row);
        return ms === null ? (
          <span class="quiet">–</span>
        ) : (
          <>
            {duration(ms * 1e6)} <Delta now={ms} before={last && lasting(last)} />
          </>
        );
      },
    },
  ];
  return (
    <>
      <TopBar
        title="Results"
        facts={value ? plural(value.total, 'run') : ''}
        keys={[
          ['↑ ↓', 'next row'],
          ['Enter', 'open the run'],
          ['?', 'this help'],
        ]}
      />
      <main class="list-page">
        <Problem error={error} updated={updated} />
        {value && runs.length === 0 ? (
          <p class="empty">
            No runs yet. Run a suite with <code class="code">sparkprof suite run suite.yaml --server {location.origin}</code>
          </p>
        ) : !value && !error ? (
          <p class="loading">Loading…</p>
        ) : (
          <DataTable
            label="Runs"
            columns={columns}
            rows={runs.map((_run, row) => row)}
            sort="start"
            href={(row) => linkTo.run(of(row).id)}
          />
        )}
        {value && value.total > runs.length && (
          <p class="quiet note">
            The latest {runs.length} of {value.total} runs.
          </p>
        )}
      </main>
    </>
  );
}
