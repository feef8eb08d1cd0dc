// SPDX-License-Identifier: Apache-2.0
import { useStore } from '../state/store.ts';
import { coverageLine } from '../analysis/coverage.ts';
import { duration } from '../state/format.ts';

export function Header() {
  const store = useStore();
  const { report } = store.model;
  const { application } = report;
  const executors = report.executors.filter((executor) => executor.id !== 'driver').length;
  const facts = [
    application.id,
    duration(store.model.duration * 1e6),
    application.sparkVersion && `Spark ${application.sparkVersion}`,
    executors > 0 ? `${executors} executor${executors === 1 ? '' : 's'}` : application.master,
  ].filter(Boolean);
  const coverage = coverageLine(report);
  const search = store.view.value.selection.search ?? '';
  const result = store.search.value;
  return (
    <header class="page-header">
      <span class="brand">sparkprof</span>
      <h1 title={application.name}>{application.name}</h1>
      <span class="facts">{facts.join(' · ')}</span>
      {!application.complete && <span class="badge warn" title="No application end event, or a truncated recording. The report shows everything recorded so far.">incomplete</span>}
      {coverage && (
        <button class={`link coverage${coverage.good ? '' : ' warn'}`} title="Coverage: task samples attributed to their task, and dropped samples"
          onClick={() => store.update({ tab: 'overview' }, true)}>{coverage.text}</button>
      )}
      {report.dropped.coarser && <span class="badge" title={report.dropped.coarser}>coarser</span>}
      <label class="search">
        <span class="visually-hidden">Search frames and tables by regular expression</span>
        <input id="search" type="search" placeholder="Search (regex)  /" value={search} spellcheck={false}
          aria-invalid={result.error !== ''} title={result.error || 'Regular expression; case-sensitive if it has capital letters'}
          onInput={(e) => store.update({ selection: searching(store.view.value.selection, e.currentTarget.value) })} />
      </label>
      <button class="icon" aria-label="Help: keyboard and colors" title="Help (?)" onClick={() => { store.help.value = !store.help.value; }}>?</button>
      <button class="icon" aria-label={store.dark.value ? 'Use light colors' : 'Use dark colors'} title="Light or dark"
        onClick={() => store.update({ theme: store.dark.value ? 'light' : 'dark' })}>◐</button>
    </header>
  );
}

function searching(selection: { search?: string }, text: string) {
  const { search: _before, ...rest } = selection;
  return text ? { ...rest, search: text } : rest;
}
