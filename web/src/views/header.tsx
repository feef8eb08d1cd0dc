// SPDX-License-Identifier: Apache-2.0
// The bar at the top: name, duration, status, search, a link to this view.
import type { ComponentChildren } from 'preact';
import { useMemo } from 'preact/hooks';
import { hasTime, isOfSpark } from '../data/model.ts';
import { duration, exact } from '../state/format.ts';
import { type Store, useStore } from '../state/store.ts';
import { AnswerButton } from './answers/answer_bar.tsx';
import type { Answer, AnswerSource } from './answers/answer.ts';
import { reportAnswers } from './answers/report_answers.ts';
import { CopyButton } from './copy_button.tsx';
import { CoverageButton } from './coverage.tsx';
import { SearchBox } from './search_box.tsx';

export interface HeaderParts {
  /** instead of the name of the program: where the page stands on a server */
  lead?: ComponentChildren;
  /** instead of the status that the recording itself has */
  mark?: ComponentChildren;
  /** what the answer bar finds beside this report */
  more?: AnswerSource;
}

export function Header({ lead, mark, more }: HeaderParts) {
  const store = useStore();
  const { report } = store.model;
  const { application } = report;
  const executors = report.executors.filter((executor) => executor.id !== 'driver').length;
  const facts = [
    store.startDate(),
    application.sparkVersion && `Spark ${application.sparkVersion}`,
    executors > 0 ? `${executors} executor${executors === 1 ? '' : 's'}` : application.master,
    application.id,
  ].filter(Boolean);
  return (
    <header class="page-header">
      {lead ?? <span class="brand">sparkprof</span>}
      <h1 title={application.name}>{application.name}</h1>
      {hasTime(store.model) && (
        <b class="header-duration" title={exact(store.model.duration * 1e6, 'ns')}>
          {duration(store.model.duration * 1e6)}
        </b>
      )}
      {mark ?? <Status />}
      <span class="facts" title={[store.dateAt(0), store.dateAt(store.model.duration)].filter(Boolean).join(' to ')}>
        {facts.join(' · ')}
      </span>
      <ReportAnswers more={more} />
      <SearchBox />
      <CopyButton text={() => location.href} label="Copy link" />
      <CoverageButton />
      <button
        class="icon"
        aria-label="Help: keyboard and colors"
        title="Help (?)"
        onClick={() => {
          store.help.value = !store.help.value;
        }}>
        ?
      </button>
      <button
        class="icon"
        aria-label={store.dark.value ? 'Use light colors' : 'Use dark colors'}
        title="Light or dark"
        onClick={() => store.update({ theme: store.dark.value ? 'light' : 'dark' })}>
        ◐
      </button>
    </header>
  );
}

/** The view that an answer leads to; like every way to another selection, it keeps the event. */
function viewOf(store: Store, { view = {} }: Answer) {
  const { event } = store.view.peek().selection;
  return view.selection && event ? { ...view, selection: { event, ...view.selection } } : view;
}

function ReportAnswers({ more }: Pick<HeaderParts, 'more'>) {
  const store = useStore();
  const source = useMemo(() => {
    const find = reportAnswers(store);
    return { find: (text: string) => [...find(text), ...(more?.find(text) ?? [])], ask: more?.ask };
  }, [store, more]);
  return (
    <AnswerButton
      source={source}
      placeholder="slowest task, why stage 4, a setting, a function, a query…"
      hrefOf={(answer) => answer.href ?? (answer.view && store.hrefOf(viewOf(store, answer)))}
      go={(answer) => {
        if (answer.href) return location.assign(answer.href);
        if (answer.act) answer.act();
        else store.update(viewOf(store, answer), true);
        document.getElementById(`tab-${store.view.peek().tab}`)?.focus();
      }}
    />
  );
}

/** How the application ended, as far as the data show it. */
function Status() {
  const { report } = useStore().model;
  if (!isOfSpark(report)) return null;
  const { outcome, complete } = report.application;
  const kind = outcome.startsWith('failed') ? 'bad' : complete && outcome === 'finished' ? 'good' : 'warn';
  return (
    <span
      class={`badge ${kind}`}
      title={complete ? undefined : 'No application end event, or a truncated recording. The report shows everything recorded so far.'}>
      {outcome.split(':')[0]}
    </span>
  );
}
