// SPDX-License-Identifier: Apache-2.0
import { useState } from 'preact/hooks';
import type { Finding, Report } from '../data/contract.ts';
import { isOfSpark } from '../data/model.ts';
import { coverageOf } from '../analysis/coverage.ts';
import { cutMiddle } from '../charts/cut_middle.ts';
import { amount, clock, count, date, duration, share } from '../state/format.ts';
import { useStore } from '../state/store.ts';
import { copyText } from './copy.ts';
import { FindingCard, savingOf } from './finding_card.tsx';
import { emptyFlameSentence, missingEventsHint } from './flame_empty.ts';
import { plural } from './text.ts';
import { TimeSpentBar } from './time_spent.tsx';
import { WallTime } from './wall_time.tsx';

export function OverviewTab() {
  const store = useStore();
  const { report } = store.model;
  const { findings } = report; // in order of importance
  const [first, rest] = [findings.slice(0, shownFindings), findings.slice(shownFindings)];
  return (
    <div class={`overview${findings.length === 0 ? ' calm' : ''}`}>
      <p class="verdict">{verdictOf(report, findings[0], store.running.value)}</p>
      {report.wallTime.length + report.timeSpent.length > 0 && (
        <div class="overview-time">
          {report.wallTime.length > 0 && <WallTime />}
          {report.timeSpent.length > 0 && <TimeSpentBar />}
        </div>
      )}
      <div class="overview-findings">
        {findings.length > 0 && (
          <section aria-label="Findings">
            <h2>Findings</h2>
            {first.map((finding) => (
              <FindingCard key={finding.id} finding={finding} />
            ))}
            {rest.length > 0 && (
              <details>
                <summary>{plural(rest.length, 'more finding')}</summary>
                {rest.map((finding) => (
                  <FindingCard key={finding.id} finding={finding} />
                ))}
              </details>
            )}
          </section>
        )}
        <SummaryText />
      </div>
      <aside class="overview-side" aria-label="Coverage">
        <Coverage />
        {report.notices.length > 0 && (
          <section>
            <h2>Notices</h2>
            <ul class="notices">
              {report.notices.map((notice, i) => (
                <li key={i} class={notice.level === 'error' ? 'bad' : ''}>
                  {notice.time ? (
                    <span class="quiet" title={date(notice.time)}>
                      {clock(Math.max(0, store.model.relative(notice.time)))}{' '}
                    </span>
                  ) : null}
                  {notice.text}
                </li>
              ))}
            </ul>
          </section>
        )}
      </aside>
    </div>
  );
}

const shownFindings = 3;

/** A part that is no larger is not where the time went. */
const smallestPart = 0.05;
const longestName = 90;

/** The first answer, in sentences. */
export function verdictOf(report: Report, worst: Finding | undefined, isRunning: boolean): string {
  const whole = report.wallTime.reduce((sum, part) => sum + part.ns, 0);
  const longest = report.wallTime
    .filter(({ begin, name }) => begin !== null || !/ shorter parts$/.test(name))
    .sort((a, b) => b.ns - a.ns)[0];
  const saving = worst ? savingOf(worst) : '';
  return [
    ...stateOf(report, isRunning),
    worst ? `${worst.title}.` : noFindings(report),
    ...(saving ? [`Could save about ${saving}${whole > 0 ? ` of ${duration(whole)}` : ''}.`] : []),
    ...(longest && longest.ns >= smallestPart * whole
      ? [`Longest part${saving ? '' : ` of ${duration(whole)}`}: ${cutMiddle(longest.name, longestName)}, ${share(longest.ns / whole)}.`]
      : []),
  ].join(' ');
}

/** Missing parts of the data, if any. */
function stateOf(report: Report, isRunning: boolean): string[] {
  if (isRunning) return ['The application is still running.'];
  if (report.application.complete || !isOfSpark(report)) return [];
  return [
    report.application.ended === false
      ? 'The data have no application end: it was still running, or they were cut off.'
      : 'Parts of the data are missing.',
  ];
}

function noFindings({ rules }: Report): string {
  if (!rules || rules.notChecked.length === 0) return 'No known problems detected.';
  if (!rules.applied) return `Not checked for known problems: ${rules.notChecked.map(({ reason }) => reason).join(', ')}.`;
  return `No known problems detected. Not checked: ${rules.notChecked.map(({ what, reason }) => `${what} (${reason})`).join(', ')}.`;
}

function SummaryText() {
  const store = useStore();
  const [copied, setCopied] = useState(false);
  const { summary, findings, wallTime, timeSpent } = store.model.report;
  const lines = summary.lines ?? [];
  if (lines.length === 0) return null;
  const text = lines.join('\n');
  const isAllThereIs = findings.length + wallTime.length + timeSpent.length === 0;
  return (
    <details class="summary" open={isAllThereIs}>
      <summary>Summary as text</summary>
      <pre tabIndex={0}>{text}</pre>
      <button onClick={() => void copyText(text).then(() => setCopied(true))}>{copied ? 'Copied' : 'Copy'}</button>
    </details>
  );
}

function Coverage() {
  const store = useStore();
  const { report } = store.model;
  const rows = coverageOf(report);
  return (
    <section>
      <h2>Coverage</h2>
      {rows.length === 0 ? (
        <p class="quiet">{emptyFlameSentence(store)}</p>
      ) : (
        <table class="plain">
          <thead>
            <tr>
              <th class="text">Event</th>
              <th>Samples</th>
              <th>Weight</th>
              <th>Attributed</th>
              <th>Dropped</th>
            </tr>
          </thead>
          <tbody>
            {rows.map((row) => (
              <tr key={row.name}>
                <td class="text">{row.label}</td>
                <td title={String(row.count)}>{count(row.count)}</td>
                <td>{amount(row.weight, row.unit)}</td>
                <td title={`${row.joined} of ${row.onTaskThreads} samples on task threads`}>
                  {row.onTaskThreads > 0 ? share(row.joined / row.onTaskThreads) : '–'}
                </td>
                <td class={row.lost > 0 ? 'warn' : ''}>{count(row.lost)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
      {rows.some(({ onTaskThreads }) => onTaskThreads > 0) && (
        <p class="quiet">Attributed: share of the samples on task threads that were attributed to a task.</p>
      )}
      {report.dropped.coarser && <p>{report.dropped.coarser}</p>}
      {!report.application.complete && isOfSpark(report) && (
        <p class="warn">
          Incomplete: {report.application.ended === false ? 'no application end event' : 'parts of the data are missing'}. The report shows
          everything recorded so far.
        </p>
      )}
      {missingEventsHint(store) && <p class="quiet">{missingEventsHint(store)}</p>}
    </section>
  );
}
