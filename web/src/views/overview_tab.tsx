// SPDX-License-Identifier: Apache-2.0
import { useState } from 'preact/hooks';
import type { Finding } from '../data/contract.ts';
import { coverageOf } from '../analysis/coverage.ts';
import { amount, clock, count, duration, share } from '../state/format.ts';
import { useStore } from '../state/store.ts';
import { copyText } from './copy.ts';
import { sentence } from './describe.ts';
import { missingEventsHint } from './flame_empty.ts';
import { TimeSpentBar } from './time_spent.tsx';

export function OverviewTab() {
  const store = useStore();
  const { report } = store.model;
  const findings = [...report.findings].sort((a, b) => severities.indexOf(a.severity) - severities.indexOf(b.severity) || (b.gainNs ?? 0) - (a.gainNs ?? 0));
  return (
    <div class="overview">
      <div class="overview-main">
        <SummaryText />
        {report.timeSpent.length > 0 && <TimeSpentBar />}
        <section aria-label="Findings">
          <h2>Findings</h2>
          {findings.length === 0 && <p class="quiet">No known problems detected.</p>}
          {findings.map((finding) => <Card key={finding.id} finding={finding} />)}
        </section>
      </div>
      <aside class="overview-side" aria-label="Coverage">
        <Coverage />
        {report.notices.length > 0 && (
          <section>
            <h2>Notices</h2>
            <ul class="notices">
              {report.notices.map((notice, i) => (
                <li key={i} class={notice.level === 'error' ? 'bad' : ''}>
                  {notice.time ? <span class="quiet">{clock(Math.max(0, store.model.relative(notice.time)))} </span> : null}{notice.text}
                </li>
              ))}
            </ul>
          </section>
        )}
      </aside>
    </div>
  );
}

const severities = ['high', 'medium', 'low'];

function SummaryText() {
  const store = useStore();
  const [copied, setCopied] = useState(false);
  const lines = store.model.report.summary.lines ?? [];
  if (lines.length === 0) return null;
  const text = lines.join('\n');
  return (
    <section aria-label="Summary" class="summary">
      <pre tabIndex={0}>{text}</pre>
      <button onClick={() => void copyText(text).then(() => setCopied(true))}>{copied ? 'Copied' : 'Copy'}</button>
    </section>
  );
}

function Card({ finding }: { finding: Finding }) {
  const store = useStore();
  const { selection } = finding;
  const tab = selection && Object.keys(selection).length > 0 ? 'flame' : '';
  return (
    <article class={`card ${finding.severity}`}>
      <h3>{finding.title}</h3>
      <p class="card-facts quiet">
        {finding.severity} · {Math.round(finding.confidence * 100)} % confidence
        {finding.gainNs ? ` · could save about ${duration(finding.gainNs)}` : ''}
      </p>
      <p>{finding.what}</p>
      {finding.change && <p><b>Advice:</b> {finding.change}</p>}
      {finding.rule && <p class="quiet"><b>Rule:</b> {finding.rule}</p>}
      {(finding.evidence || tab) && (
        <p>
          <b>Evidence:</b> {finding.evidence}{' '}
          {tab && selection && <button class="link" onClick={() => store.goTo(selection, tab)}>Show {sentence(selection)}</button>}
        </p>
      )}
    </article>
  );
}

function Coverage() {
  const store = useStore();
  const { report } = store.model;
  const rows = coverageOf(report);
  return (
    <section>
      <h2>Coverage</h2>
      {rows.length === 0 ? <p class="quiet">No samples in this recording.</p> : (
        <table class="plain">
          <thead><tr><th class="text">Event</th><th>Samples</th><th>Weight</th><th>Attributed</th><th>Dropped</th></tr></thead>
          <tbody>
            {rows.map((row) => (
              <tr key={row.name}>
                <td class="text">{row.label}</td>
                <td title={String(row.count)}>{count(row.count)}</td>
                <td>{amount(row.weight, row.unit)}</td>
                <td title={`${row.joined} of ${row.onTaskThreads} samples on task threads`}>{row.onTaskThreads > 0 ? share(row.joined / row.onTaskThreads) : '–'}</td>
                <td class={row.lost > 0 ? 'warn' : ''}>{count(row.lost)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
      <p class="quiet">Attributed: share of the samples on task threads that were attributed to a task.</p>
      {report.dropped.coarser && <p>{report.dropped.coarser}</p>}
      {!report.application.complete && <p class="warn">Incomplete: no application end event. The report shows everything recorded so far.</p>}
      {missingEventsHint(store) && <p class="quiet">{missingEventsHint(store)}</p>}
    </section>
  );
}
