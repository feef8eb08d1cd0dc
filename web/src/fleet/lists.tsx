// SPDX-License-Identifier: Apache-2.0
// The page's lists below the totals. Those of queries, tables and settings are of the whole fleet, whatever the filter.
import type { ComponentChildren } from 'preact';
import { useMemo } from 'preact/hooks';
import type { Change } from '../server/query.ts';
import { bytes, count, duration, hours, money, share } from '../state/format.ts';
import type { FleetQuery, FleetSetting, FleetSource } from './contract.ts';
import { nameOf, readsText, settingText } from './filter_address.ts';
import { dayText, jobText, withUnit } from './numbers.ts';
import { type Regression, regressionsOf } from './regressions.ts';
import { SortedTable } from './sorted_table.tsx';
import { dayMs, type Fleet } from './totals.ts';

const millis = (value: number | null | undefined) => (value === null || value === undefined ? '–' : duration(value * 1e6));
const known = (value: number | null, show: (value: number) => string) => (value === null ? '–' : show(value));
const mostApplications = 100;

export function RegressionsSection({ fleet, pick }: { fleet: Fleet; pick(job: number): Change }) {
  const rows = useMemo(() => regressionsOf(fleet), [fleet]);
  const columns = useMemo(
    () => [
      {
        label: 'job',
        value: (row: Regression) => fleet.data.values.job[row.job]!,
        show: (row: Regression) => jobText(fleet.data.values.job[row.job]!),
      },
      { label: 'since', value: (row: Regression) => dayText(Math.floor(row.since / dayMs)) },
      { label: 'runs since', value: (row: Regression) => row.runs },
      { label: 'before', value: (row: Regression) => row.beforeMs, show: (row: Regression) => millis(row.beforeMs) },
      { label: 'now', value: (row: Regression) => row.afterMs, show: (row: Regression) => millis(row.afterMs) },
      {
        label: 'slower by',
        value: (row: Regression) => row.afterMs / row.beforeMs,
        show: (row: Regression) => share(row.afterMs / row.beforeMs - 1),
      },
      { label: 'what changed', sentence: true, value: (row: Regression) => row.changes.join(', ') || 'nothing that the logs show' },
    ],
    [fleet],
  );
  return (
    <section>
      <h2>Jobs that got slower</h2>
      <p class="quiet">Change points of the median duration of a job's runs. A job is a name without dates and numbers.</p>
      {rows.length > 0 ? (
        <SortedTable
          label="Jobs that got slower"
          columns={columns}
          rows={rows}
          sort={5}
          pick={({ job }) => pick(job)}
          pickHint="Show only this job"
        />
      ) : (
        <p>No job with at least six runs got slower.</p>
      )}
    </section>
  );
}

/** An application's ID as a link to its page. */
export type LinkTo = (id: string) => ComponentChildren;

export const linked = (id: string | undefined, linkTo?: LinkTo) => (id && linkTo ? linkTo(id) : id);

export function ApplicationsSection({ fleet, selected, linkTo }: { fleet: Fleet; selected: Uint8Array; linkTo?: LinkTo }) {
  const rows = useMemo(() => fleet.mostWasted(selected, mostApplications), [fleet, selected]);
  const { data } = fleet;
  const columns = useMemo(
    () => [
      { label: 'application', value: (row: number) => data.id[row]!, show: (row: number) => linked(data.id[row], linkTo) },
      {
        label: 'job',
        value: (row: number) => data.values.job[data.job[row]!]!,
        show: (row: number) => jobText(data.values.job[data.job[row]!]!),
      },
      { label: 'user', value: (row: number) => nameOf(data.values.user[data.user[row]!]) },
      { label: 'day', value: (row: number) => dayText(fleet.day[row]!) },
      { label: 'duration', value: (row: number) => data.durationMs[row] ?? 0, show: (row: number) => millis(data.durationMs[row]) },
      { label: 'core-hours', value: (row: number) => fleet.core[row]!, show: (row: number) => known(data.core[row]!, hours) },
      { label: 'without work', value: (row: number) => fleet.wasted[row]!, show: (row: number) => known(data.wasted[row]!, hours) },
      ...(fleet.hasCost
        ? [
            {
              label: withUnit('cost', data.currency),
              value: (row: number) => fleet.cost[row]!,
              show: (row: number) => known(data.cost[row]!, money),
            },
          ]
        : []),
      { label: 'log', hint: 'open it with sparkprof analyze LOG', value: (row: number) => data.source[row]! },
    ],
    [fleet],
  );
  return (
    <section id="applications">
      <h2>Applications that waste most</h2>
      <SortedTable label="Applications that waste most" columns={columns} rows={rows} sort={6} />
    </section>
  );
}

export function QueriesSection({ fleet, pick }: { fleet: Fleet; pick(job: number): Change }) {
  const { queries } = fleet.data;
  const columns = useMemo(
    () => [
      { label: 'query', value: (row: FleetQuery) => row.description || 'unnamed' },
      { label: 'job', value: (row: FleetQuery) => row.job, show: (row: FleetQuery) => jobText(row.job) },
      { label: 'runs', value: (row: FleetQuery) => row.runs, show: (row: FleetQuery) => count(row.runs) },
      {
        label: 'core-hours',
        hint: 'task time',
        value: (row: FleetQuery) => row.core ?? 0,
        show: (row: FleetQuery) => known(row.core, hours),
      },
      ...(fleet.hasCost
        ? [
            {
              label: withUnit('cost', fleet.data.currency),
              value: (row: FleetQuery) => row.cost ?? 0,
              show: (row: FleetQuery) => known(row.cost, money),
            },
          ]
        : []),
      { label: 'median', value: (row: FleetQuery) => row.medianMs ?? 0, show: (row: FleetQuery) => millis(row.medianMs) },
      { label: 'longest', value: (row: FleetQuery) => row.longestMs ?? 0, show: (row: FleetQuery) => millis(row.longestMs) },
      { label: 'spilled', value: (row: FleetQuery) => row.spilledBytes ?? 0, show: (row: FleetQuery) => bytes(row.spilledBytes ?? 0) },
      { label: 'failed', value: (row: FleetQuery) => row.failed },
      { label: 'engine', value: (row: FleetQuery) => row.engine },
      { label: 'fallbacks', hint: 'operators that the engine left to Spark', value: (row: FleetQuery) => row.fallbacks ?? 0 },
    ],
    [fleet],
  );
  if (queries.length === 0) return null;
  return (
    <section>
      <h2>Queries</h2>
      <p class="quiet">Of all applications. Queries with the same operators and sources are one.</p>
      <SortedTable
        label="Queries"
        columns={columns}
        rows={queries}
        sort={3}
        pick={({ job }) => pick(fleet.data.values.job.indexOf(job))}
        pickHint="Show only the job of this query"
      />
    </section>
  );
}

/** Their list is far above the tables and settings. */
const scrollToApplications = () => document.getElementById('applications')?.scrollIntoView();

export function TablesSection({ fleet }: { fleet: Fleet }) {
  const { tables } = fleet.data;
  const columns = useMemo(
    () => [
      { label: 'source', value: (row: FleetSource) => row.name },
      { label: 'applications', value: (row: FleetSource) => row.applications },
      { label: 'queries', value: (row: FleetSource) => row.queries },
      {
        label: 'core-hours',
        hint: 'of the stages that scan it',
        value: (row: FleetSource) => row.core ?? 0,
        show: (row: FleetSource) => known(row.core, hours),
      },
      {
        label: 'read',
        hint: 'by its scans',
        value: (row: FleetSource) => row.bytes ?? 0,
        show: (row: FleetSource) => known(row.bytes, bytes),
      },
    ],
    [fleet],
  );
  if (tables.length === 0) return null;
  return (
    <section class="half">
      <h2>Tables and files that queries read</h2>
      <SortedTable
        label="Tables"
        columns={columns}
        rows={tables}
        sort={3}
        pick={(row) => ({ among: readsText(row) })}
        picked={scrollToApplications}
        pickHint="Show only applications that read this"
      />
    </section>
  );
}

export function SettingsSection({ fleet }: { fleet: Fleet }) {
  const { settings } = fleet.data;
  const columns = useMemo(
    () => [
      { label: 'setting', value: (row: FleetSetting) => row.key },
      { label: 'value', value: (row: FleetSetting) => row.value },
      { label: 'applications', value: (row: FleetSetting) => row.applications, show: (row: FleetSetting) => count(row.applications) },
      { label: 'core-hours', value: (row: FleetSetting) => row.core ?? 0, show: (row: FleetSetting) => known(row.core, hours) },
    ],
    [fleet],
  );
  if (settings.length === 0) return null;
  return (
    <section class="half">
      <h2>Settings in use</h2>
      <SortedTable
        label="Settings"
        columns={columns}
        rows={settings}
        sort={2}
        pick={(row) => ({ among: settingText(row) })}
        picked={scrollToApplications}
        pickHint="Show only applications with this value"
      />
    </section>
  );
}

export function FailuresSection({ fleet }: { fleet: Fleet }) {
  const { failures, failed } = fleet.data;
  const columns = useMemo(
    () => [
      { label: 'log', value: (row: FleetFailure) => row.source },
      { label: 'reason', sentence: true, value: (row: FleetFailure) => row.reason },
    ],
    [],
  );
  if (failed === 0) return null;
  return (
    <section>
      <h2>Logs that could not be read ({count(failed)})</h2>
      <SortedTable label="Failures" columns={columns} rows={failures} sort={0} />
    </section>
  );
}

type FleetFailure = { source: string; reason: string };
