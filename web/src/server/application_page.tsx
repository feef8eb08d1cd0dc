// SPDX-License-Identifier: Apache-2.0
// The report of one application. While it runs, later data replace the model; the view stays as it is.
import { useEffect, useMemo, useRef } from 'preact/hooks';
import { Model } from '../data/model.ts';
import { followHash } from '../state/follow_hash.ts';
import { Store, StoreContext } from '../state/store.ts';
import { App } from '../views/app.tsx';
import { api, getJson, getReport, part } from './api.ts';
import { Crumbs, LiveMark, Missing, TopBar } from './chrome.tsx';
import type { ApplicationPage as Found, ListedApplication } from './contract.ts';
import { linkTo } from './links.ts';
import { usePolled } from './poll.ts';
import { query } from './query.ts';
import { serverAnswers } from './server_answers.ts';
import { followTheme } from './theme.ts';

interface Loaded {
  row: ListedApplication | null;
  etag: string;
  model: Model;
}

/** The list's data about an application: its state and its group. */
async function rowOf(id: string, attempt: string, signal: AbortSignal): Promise<ListedApplication | null> {
  const { applications } = await getJson<Found>(api('/applications', { search: id }), signal);
  const own = applications.filter((row) => row.id === id);
  return own.find((row) => row.attempt === attempt) ?? own[0] ?? null;
}

/** The flame graph between two moments of an address that has them, and no view of its own. */
function showBetween(store: Store): void {
  const [from, to] = ['from', 'to'].map((name) => query.peek().get(name));
  if (!from || !to || location.hash.length > 1) return;
  const { startTime } = store.model.report.application;
  store.show({ from: Number(from) - startTime, to: Number(to) - startTime });
}

export function ApplicationPage({ id }: { id: string }) {
  const attempt = query.value.get('attempt') ?? '';
  const url = api(`/applications/${part(id)}/report`, { attempt });
  const { value, error, updated } = usePolled<Loaded>(
    url,
    async (signal, last) => {
      // the state first: when it is an end, the report that follows has the end
      const row = await rowOf(id, attempt, signal);
      const report = await getReport(url, last?.etag, signal);
      return report ? { row, etag: report.etag, model: new Model(report.report) } : { ...last!, row };
    },
    ({ row }) => row?.status === 'running',
  );
  const store = useRef<Store | null>(null);
  if (value && !store.current) {
    store.current = new Store(value.model);
    showBetween(store.current);
  }
  useEffect(() => {
    if (value && store.current!.model !== value.model) store.current!.replaceModel(value.model);
  }, [value?.model]);
  const there = store.current;
  useEffect(() => {
    if (!there) return undefined;
    const stops = [followHash(there), followTheme(there)];
    return () => stops.forEach((stop) => stop());
  }, [there]);
  const status = value?.row?.status;
  useEffect(() => {
    if (there) there.running.value = status === 'running';
  }, [there, status]);
  const name = value?.model.report.application.name ?? id;
  useEffect(() => {
    document.title = `${name} · sparkprof`;
  }, [name]);
  const row = value?.row;
  const more = useMemo(() => serverAnswers(row), [row?.id, row?.startTime]);
  if (!there) {
    return (
      <>
        <TopBar title={id} keys={[['?', 'this help']]} />
        {error ? (
          <Missing error={error}>
            Go to the list of <a href={linkTo.applications}>applications</a>, or <a href={linkTo.search(id)}>search for {id}</a>.
          </Missing>
        ) : (
          <main class="loading">Loading the application…</main>
        )}
      </>
    );
  }
  const mark =
    status === 'running' ? (
      <LiveMark updated={updated} error={error} />
    ) : status === 'failed' ? (
      <span class="badge bad" title="The application ended with a failure">
        failed
      </span>
    ) : undefined;
  return (
    <StoreContext.Provider value={there}>
      <App lead={<Crumbs group={value?.row?.group} />} mark={mark} more={more} />
    </StoreContext.Provider>
  );
}
