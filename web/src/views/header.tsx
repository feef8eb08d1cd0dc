// SPDX-License-Identifier: Apache-2.0
import type { ComponentChildren } from 'preact';
import { isOfSpark } from '../data/model.ts';
import { useStore } from '../state/store.ts';
import { coverageLine } from '../analysis/coverage.ts';
import { duration } from '../state/format.ts';
import { SearchBox } from './search_box.tsx';

export interface HeaderParts {
  /** instead of the name of the program: where the page stands on a server */
  lead?: ComponentChildren;
  /** instead of the mark of incomplete recordings */
  mark?: ComponentChildren;
}

export function Header({ lead, mark }: HeaderParts) {
  const store = useStore();
  const { report } = store.model;
  const { application } = report;
  const executors = report.executors.filter((executor) => executor.id !== 'driver').length;
  const facts = [
    duration(store.model.duration * 1e6),
    application.sparkVersion && `Spark ${application.sparkVersion}`,
    executors > 0 ? `${executors} executor${executors === 1 ? '' : 's'}` : application.master,
    store.startDate(),
    application.id,
  ].filter(Boolean);
  const coverage = coverageLine(report);
  return (
    <header class="page-header">
      {lead ?? <span class="brand">sparkprof</span>}
      <h1 title={application.name}>{application.name}</h1>
      <span class="facts" title={[store.dateAt(0), store.dateAt(store.model.duration)].filter(Boolean).join(' to ')}>
        {facts.join(' · ')}
      </span>
      {mark ??
        (!application.complete && isOfSpark(report) && (
          <span class="badge warn" title="No application end event, or a truncated recording. The report shows everything recorded so far.">
            incomplete
          </span>
        ))}
      {coverage && (
        <button
          class={`link coverage${coverage.good ? '' : ' warn'}`}
          title="Coverage: task samples attributed to their task, and dropped samples"
          onClick={() => store.update({ tab: 'overview' }, true)}>
          {coverage.text}
        </button>
      )}
      {report.dropped.coarser && (
        <span class="badge" title={report.dropped.coarser}>
          coarser
        </span>
      )}
      <SearchBox />
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
