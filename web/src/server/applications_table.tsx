// SPDX-License-Identifier: Apache-2.0
// The table of applications in the server's order.
import { useMemo } from 'preact/hooks';
import { count, duration, exact, money } from '../state/format.ts';
import { StatusText } from './chrome.tsx';
import { isElsewhere } from '../views/view_link.tsx';
import { linkTo } from './links.ts';
import type { ListedApplication } from './contract.ts';
import { Delta } from './compare/delta.tsx';
import { query } from './query.ts';
import { QueryLink } from './query_link.tsx';
import { releasesOf } from './releases.ts';
import { runsBefore } from './run_before.ts';
import { exactMoment, moment } from './times.ts';

/** Widths are in the style sheet. */
interface Column {
  id: string;
  label: string;
  text?: boolean;
  hint?: string;
  /** the server does not sort by it; its unit is the currency */
  fixed?: boolean;
  /** what the server sorts by instead of the column itself */
  sort?: string;
}

const columns: Column[] = [
  { id: 'status', label: 'Status', text: true },
  { id: 'name', label: 'Application', text: true },
  { id: 'group', label: 'Group', text: true },
  { id: 'user', label: 'User', text: true },
  { id: 'startTime', label: 'Started' },
  { id: 'durationMs', label: 'Duration' },
  {
    id: 'topFinding',
    label: 'Top finding',
    text: true,
    hint: 'The first finding, and how many more there are; sorts by their number',
    sort: 'findings',
  },
  { id: 'savingMs', label: 'Could save', hint: 'The largest likely saving of a finding' },
  { id: 'cost', label: 'Cost', hint: 'Of its executors, from their start to their end', fixed: true },
  { id: 'tasks', label: 'Tasks' },
  { id: 'cpuSeconds', label: 'CPU', hint: 'CPU time of the samples of all JVMs and Python workers' },
];

export const rowKey = (row: ListedApplication) => `${row.id}/${row.attempt}`;

interface Properties {
  rows: ListedApplication[];
  picked: string[];
  pick(id: string): void;
  withGroup: boolean;
}

export function ApplicationsTable({ rows, picked, pick, withGroup }: Properties) {
  const sort = query.value.get('sort') || '-startTime';
  const by = sort.replace(/^-/, '');
  const descending = sort.startsWith('-');
  const currency = rows.find(({ cost }) => cost)?.cost?.currency;
  const shown = columns.filter(({ id }) => (withGroup || id !== 'group') && (id !== 'cost' || currency));
  const now = Date.now();
  const before = useMemo(
    () =>
      runsBefore(
        rows.map((row) => ({
          key: `${row.group}\n${row.name}`,
          startTime: row.startTime,
          durationMs: row.status === 'finished' ? row.durationMs : null,
        })),
      ),
    [rows],
  );
  return (
    <table class="applications" aria-label="Applications">
      <colgroup>
        <col class="pick" />
        {shown.map(({ id }) => (
          <col key={id} class={id} />
        ))}
      </colgroup>
      <thead>
        <tr>
          <th scope="col">
            <span class="visually-hidden">Compare</span>
          </th>
          {shown.map(({ id, label, text, hint, fixed, sort: key = id }) => {
            if (fixed) {
              return (
                <th key={id} scope="col" class={`number ${id}`} title={hint}>
                  {label}, {currency}
                </th>
              );
            }
            const to = by === key ? (descending ? key : `-${key}`) : text && key === id ? key : `-${key}`;
            return (
              <th
                key={id}
                scope="col"
                class={`${text ? 'text' : 'number'} ${id}`}
                aria-sort={by === key ? (descending ? 'descending' : 'ascending') : 'none'}>
                <QueryLink change={{ sort: to === '-startTime' ? null : to, cursor: null, at: null }} title={hint ?? `Sort by ${label}`}>
                  {label}
                  <span class="arrow">{by === key ? (descending ? ' ↓' : ' ↑') : ''}</span>
                </QueryLink>
              </th>
            );
          })}
        </tr>
      </thead>
      <tbody>
        {rows.map((row, at) => (
          <tr
            key={rowKey(row)}
            data-id={row.id}
            class={`pickable${picked.includes(row.id) ? ' picked' : ''}`}
            onClick={(event) => open(event, row)}>
            <td class="pick">
              <input
                type="checkbox"
                aria-label={`Compare ${row.name} ${row.id}`}
                tabIndex={-1}
                checked={picked.includes(row.id)}
                onChange={() => pick(row.id)}
              />
            </td>
            {shown.map(({ id, text }) => (
              <td key={id} class={`${text ? 'text' : 'number'} ${id}`} title={titleOf(row, id)}>
                {cellOf(row, id, now, rows[before[at]!])}
                {id === 'durationMs' && row.status === 'finished' && <Delta now={row.durationMs} before={rows[before[at]!]?.durationMs} />}
              </td>
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  );
}

const unknown = <span class="quiet">–</span>;

const soFar = ({ totals }: ListedApplication) =>
  totals === 'partial' && (
    <span class="quiet" title="Of a running or incomplete application">
      +
    </span>
  );

const whyUnknown = ({ totals }: ListedApplication) =>
  totals === 'unknown' ? 'Unknown: open a Spark application to read its event log' : 'Unknown: not measured';

function cellOf(row: ListedApplication, id: string, now: number, before: ListedApplication | undefined) {
  switch (id) {
    case 'status':
      return <StatusText status={row.status} />;
    case 'name':
      return (
        <>
          <a class="row-link" href={linkTo.application(row.id, row.attempt)}>
            {row.name || row.id}
          </a>{' '}
          {releasesOf(before ? [before, row] : []).map(({ text }) => (
            <span key={text} class="tag" title={`Since the run before: ${text}`}>
              new version
            </span>
          ))}{' '}
          <span class="quiet">
            {row.id}
            {row.attempt && ` attempt ${row.attempt}`}
          </span>
        </>
      );
    case 'group':
      return row.group ? (
        <a class="plain-link" href={linkTo.group(row.group)}>
          {row.group}
        </a>
      ) : (
        <span class="quiet">–</span>
      );
    case 'user':
      return row.user;
    case 'startTime':
      return moment(row.startTime, now);
    case 'durationMs':
      return duration(row.durationMs * 1e6);
    case 'tasks':
      return row.tasks === null ? (
        unknown
      ) : (
        <>
          {count(row.tasks)}
          {soFar(row)}
        </>
      );
    case 'cpuSeconds':
      return row.cpuSeconds === null ? (
        unknown
      ) : (
        <>
          {duration(row.cpuSeconds * 1e9)}
          {soFar(row)}
        </>
      );
    case 'cost':
      return row.cost ? money(row.cost.total) : unknown;
    case 'savingMs':
      return row.savingMs ? duration(row.savingMs * 1e6) : unknown;
    default:
      return <TopFinding row={row} />;
  }
}

function TopFinding({ row: { topFinding, findings } }: { row: ListedApplication }) {
  if (findings === null) return unknown;
  if (!topFinding) return <span class="quiet">{findings === 0 ? 'none' : findings}</span>;
  return (
    <span class="top-finding">
      <span>{topFinding}</span>
      {findings > 1 && <span class="quiet">+{findings - 1}</span>}
    </span>
  );
}

function titleOf(row: ListedApplication, id: string): string | undefined {
  switch (id) {
    case 'name':
      return `${row.name} · ${row.id}`;
    case 'startTime':
      return `${exactMoment(row.startTime)}${row.endTime ? `, ended ${exactMoment(row.endTime)}` : ''}`;
    case 'durationMs':
      return `${exact(row.durationMs, '')} ms`;
    case 'tasks':
      return row.tasks === null ? whyUnknown(row) : `${exact(row.tasks, '')}${row.totals === 'partial' ? ' so far' : ''}`;
    case 'cpuSeconds':
      return row.cpuSeconds === null ? whyUnknown(row) : `${exact(row.cpuSeconds, '')} s${row.totals === 'partial' ? ' so far' : ''}`;
    case 'topFinding':
      return row.findings === null ? whyUnknown(row) : row.topFinding || undefined;
    case 'savingMs':
      return row.savingMs ? undefined : row.findings === null ? whyUnknown(row) : 'No finding with a known saving';
    case 'cost':
      return row.cost ? undefined : 'Unknown: no memory or cores of its executors in the data';
    default:
      return undefined;
  }
}

/** A click beside the links opens the application, unless somebody marks text. */
function open(event: MouseEvent, row: ListedApplication): void {
  if ((event.target as HTMLElement).closest('a, .pick') || !document.getSelection()?.isCollapsed) return;
  const url = linkTo.application(row.id, row.attempt);
  if (isElsewhere(event)) window.open(url);
  else location.assign(url);
}

/** Moves between rows, selects one; false when the key means nothing here. */
export function moveInTable(table: HTMLElement, event: KeyboardEvent, pick: (id: string) => void): boolean {
  const step = event.key === 'j' || event.key === 'ArrowDown' ? 1 : event.key === 'k' || event.key === 'ArrowUp' ? -1 : 0;
  const links = [...table.querySelectorAll<HTMLAnchorElement>('.row-link')];
  const at = links.indexOf(document.activeElement as HTMLAnchorElement);
  if (event.key === 'x' && at >= 0) {
    pick(links[at]!.closest('tr')!.dataset.id!);
    return true;
  }
  // arrows scroll the page until a row has the focus
  if (step === 0 || links.length === 0 || (at < 0 && event.key.startsWith('Arrow'))) return false;
  const next = links[Math.max(0, Math.min(links.length - 1, at < 0 ? 0 : at + step))]!;
  next.focus({ preventScroll: true });
  next.closest('tr')!.scrollIntoView({ block: 'nearest' });
  return true;
}
