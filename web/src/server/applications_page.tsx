// SPDX-License-Identifier: Apache-2.0
// All applications: search, filters, order and page are in the address.
import { useEffect, useRef, useState } from 'preact/hooks';
import { api, getJson } from './api.ts';
import { ApplicationsTable, moveInTable, rowKey } from './applications_table.tsx';
import { isPlain, Problem, TopBar } from './chrome.tsx';
import { linkTo } from './links.ts';
import type { ApplicationPage, ListedApplication } from './contract.ts';
import { FilterBar, filterNames } from './filter_bar.tsx';
import { FirstApplication } from './first_application.tsx';
import { usePolled } from './poll.ts';
import { changed, pathWith, query, setQuery } from './query.ts';
import { QueryLink } from './query_link.tsx';
import { refreshed } from './refreshed.ts';
import { SaveApplications } from './save_applications.tsx';
import { rangeOf } from './times.ts';

const pageSize = 100;

const keys: [string, string][] = [
  ['/', 'search'],
  ['j ↓', 'next application'],
  ['k ↑', 'previous application'],
  ['Enter', 'open the application'],
  ['x', 'select for a comparison'],
  ['c', 'compare the two selected'],
  ['n', 'next page'],
  ['Esc', 'leave the search; clear the selection'],
  ['?', 'this help'],
];

/** The question that an address asks. `fixed` comes from the page around the table. */
export function listUrl(parameters: URLSearchParams, now: number, fixed: Record<string, string | number | null> = {}): string {
  const get = (name: string) => parameters.get(name);
  return api('/applications', {
    search: get('search'),
    group: get('group'),
    user: get('user'),
    status: get('status'),
    finding: get('finding'),
    sort: get('sort'),
    cursor: get('cursor'),
    // nodes have their own page
    nodes: 'false',
    limit: pageSize,
    ...rangeOf(parameters, now),
    ...fixed,
  });
}

/** The applications that are selected for a comparison, at most two. */
const pickedIn = (parameters: URLSearchParams) => (parameters.get('pick') ?? '').split(' ').filter(Boolean);

export function ApplicationsPage() {
  return (
    <>
      <TopBar title="Applications" keys={keys} />
      <ApplicationList />
    </>
  );
}

/** The filters and the table; `group` is set on the page of a group. */
export function ApplicationList({ group }: { group?: string }) {
  const parameters = query.value;
  const fixed: Record<string, string> = group === undefined ? {} : { group };
  // an address with a relative range is the same question a minute later
  const question = pathWith('', changed(parameters, { pick: null, at: null, view: null, event: null }));
  const { value, error, updated, reload } = usePolled(
    question,
    (signal) => getJson<ApplicationPage>(listUrl(query.peek(), Date.now(), fixed), signal),
    () => true,
  );
  const table = useRef<HTMLDivElement>(null);
  const shown = useRef<{ question: string; rows: ListedApplication[] }>({ question: '', rows: [] });
  const [, redraw] = useState(0);
  const picked = pickedIn(parameters);
  const at = Number(parameters.get('at')) || 0;

  let waiting = 0;
  if (value) {
    const same = shown.current.question === question;
    const inUse =
      same && !!table.current && (window.scrollY > 0 || table.current.matches(':hover') || table.current.contains(document.activeElement));
    const next = refreshed(same ? shown.current.rows : [], value.applications, rowKey, inUse);
    waiting = next.waiting;
    shown.current = { question, rows: next.rows };
  }
  const { rows } = shown.current;
  // keys may follow each other before the page is drawn again, so what they change is read from the address
  const pick = (id: string) => {
    const before = pickedIn(query.peek());
    setQuery({ pick: (before.includes(id) ? before.filter((other) => other !== id) : [...before, id].slice(-2)).join(' ') });
  };
  const next = value?.next ? { cursor: value.next, at: at + rows.length } : null;
  const goNext = () => {
    if (!next) return;
    setQuery(next, true);
    window.scrollTo(0, 0);
  };
  useEffect(() => {
    const listener = (event: KeyboardEvent) => {
      const { target } = event;
      const [first, second] = pickedIn(query.peek());
      if (event.key === 'Escape' && target instanceof HTMLElement && target.id === 'search') target.blur();
      if (!isPlain(event)) return;
      if (event.key === '/') document.getElementById('search')?.focus();
      else if (event.key === 'n') goNext();
      else if (event.key === 'c' && first && second) location.assign(linkTo.compare(first, second));
      else if (event.key === 'Escape' && first) setQuery({ pick: null });
      else if (!table.current || !moveInTable(table.current, event, pick)) return;
      event.preventDefault();
    };
    window.addEventListener('keydown', listener);
    return () => window.removeEventListener('keydown', listener);
  });
  const filtered = filterNames.some((name) => parameters.has(name));
  const total = value?.total ?? 0;
  const isEmpty = value && total === 0 && !filtered && at === 0;
  return (
    <main class="list-page">
      {!isEmpty && <FilterBar withGroup={group === undefined} />}
      <Problem error={error} updated={updated} />
      {isEmpty ? (
        <FirstApplication group={group} />
      ) : (
        <>
          <div class="list-bar">
            <span role="status" class="list-count">
              {value ? countText(total, at, rows.length) : error ? '' : 'Loading…'}
            </span>
            {at > 0 && <QueryLink change={{ cursor: null, at: null }}>First page</QueryLink>}
            {next && (
              <QueryLink change={next} rel="next" then={() => window.scrollTo(0, 0)}>
                Next page
              </QueryLink>
            )}
            {waiting > 0 && (
              <button
                class="link"
                onClick={() => {
                  shown.current = { question: '', rows: [] };
                  window.scrollTo(0, 0);
                  redraw((n) => n + 1);
                  reload();
                }}>
                {waiting === 1 ? '1 new application' : `${waiting} new applications`}: show
              </button>
            )}
            <span class="gap-wide" />
            <span class="quiet">
              {picked.length === 0 ? 'Select two to compare them.' : picked.length === 1 ? 'Select one more to compare.' : ''}
            </span>
            {picked.length === 2 && (
              <a class="button" href={linkTo.compare(picked[0]!, picked[1]!)}>
                Compare the two
              </a>
            )}
            {picked.length > 0 && (
              <button class="link" onClick={() => setQuery({ pick: null })}>
                Clear selection
              </button>
            )}
            {rows.length > 0 && (
              <SaveApplications urlOf={(cursor, limit) => listUrl(parameters, Date.now(), { ...fixed, cursor, limit })} />
            )}
          </div>
          <div ref={table} class="table-scroll">
            <ApplicationsTable rows={rows} picked={picked} pick={pick} withGroup={group === undefined} />
          </div>
          {value && rows.length === 0 && (
            <p class="empty">
              No application matches.{' '}
              <button
                class="link"
                onClick={() => setQuery(Object.fromEntries([...filterNames, 'cursor', 'at'].map((name) => [name, null])), true)}>
                Clear all filters
              </button>
            </p>
          )}
        </>
      )}
    </main>
  );
}

const grouped = new Intl.NumberFormat('en-US');

export function countText(total: number, at: number, rows: number): string {
  if (rows === 0) return total === 1 ? '1 application' : `${grouped.format(total)} applications`;
  if (at === 0 && rows === total) return total === 1 ? '1 application' : `${grouped.format(total)} applications`;
  return `${grouped.format(at + 1)}–${grouped.format(at + rows)} of ${grouped.format(total)} applications`;
}
