// SPDX-License-Identifier: Apache-2.0
// How much of the application the data cover: behind an icon in the bar at the top, and open where something is missing.
import { coverageLine, coverageOf } from '../analysis/coverage.ts';
import { isOfSpark } from '../data/model.ts';
import { amount, clock, count, date, share } from '../state/format.ts';
import { useStore } from '../state/store.ts';
import { emptyFlameSentence, missingEventsHint } from './flame/flame_empty.ts';
import { asSentence } from './text.ts';

/** The icon; its panel opens over the page. */
export function CoverageButton() {
  const { report } = useStore().model;
  const line = coverageLine(report);
  const isGood = (line?.good ?? true) && !report.dropped.coarser;
  const words = [line?.text, report.dropped.coarser].filter(Boolean).join('. ') || 'What the data cover';
  return (
    <>
      <button class={`icon coverage-icon${isGood ? '' : ' warn'}`} popovertarget="coverage" aria-label={`Coverage: ${words}`} title={words}>
        <svg width="15" height="15" viewBox="0 0 16 16" aria-hidden="true">
          <circle cx="8" cy="8" r="6.2" fill="none" stroke="currentColor" stroke-width="1.6" />
          {isGood ? (
            <path d="M4.8 8.2l2.2 2.3 4.2-4.6" fill="none" stroke="currentColor" stroke-width="1.6" />
          ) : (
            <path d="M8 4.4v4.4M8 10.4v1.6" fill="none" stroke="currentColor" stroke-width="1.8" />
          )}
        </svg>
      </button>
      <div popover="auto" id="coverage" class="popover" role="dialog" aria-label="Coverage">
        <Coverage />
        <Notices />
      </div>
    </>
  );
}

export function Coverage() {
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
              <th>Lost</th>
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

export function Notices() {
  const store = useStore();
  const { notices } = store.model.report;
  if (notices.length === 0) return null;
  // processes outlive the application by a moment
  const when = (time: number) => (time > store.model.duration ? 'after the end' : clock(Math.max(0, time)));
  return (
    <section>
      <h2>Notices</h2>
      <ul class="notices">
        {notices.map((notice, i) => (
          <li key={i} class={notice.level === 'error' ? 'bad' : ''}>
            {notice.time ? (
              <span class="quiet" title={date(notice.time)}>
                {when(store.model.relative(notice.time))}{' '}
              </span>
            ) : null}
            {asSentence(notice.text)}
          </li>
        ))}
      </ul>
    </section>
  );
}
