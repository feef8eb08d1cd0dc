// SPDX-License-Identifier: Apache-2.0
import type { Finding, Report } from '../data/contract.ts';
import { isOfSpark } from '../data/model.ts';
import { duration, exact } from '../state/format.ts';
import { useStore } from '../state/store.ts';
import { verdictMarkdown } from '../state/markdown.ts';
import { CopyButton } from './copy_button.tsx';

/** "2.6–7.6 s", which is one word. */
const range = /([\d.]+–[\d.]+ \w+)/;

/** The answer first. It is made once, by the command, and is the same everywhere. Of a failed application it is the failure: its line and time follow. */
export function VerdictText() {
  const store = useStore();
  const { model } = store;
  const { report } = model;
  const failure = failureOf(report);
  const { from, to } = store.selection.value;
  return (
    <section class={failure ? 'verdict failed' : 'verdict'} aria-label="Verdict">
      <p class="verdict-line" data-verdict>
        {report.summary.verdict?.split(range).map((part, at) =>
          at % 2 ? (
            <span key={at} style={{ whiteSpace: 'nowrap' }}>
              {part}
            </span>
          ) : (
            part
          ),
        )}
      </p>
      <p class="verdict-state">
        {failure && (
          <span>
            {failure.frames?.[0] && <code>{failure.frames[0]}</code>}
            <span class="quiet" title={exact(model.duration * 1e6, 'ns')}>
              after {duration(model.duration * 1e6)}
            </span>
          </span>
        )}
        {stateOf(report, store.running.value).map((text) => (
          <span key={text} class="warn">
            {text}
          </span>
        ))}
        {(from !== undefined || to !== undefined) && <span class="quiet">For the whole run, not only for the selected time.</span>}
      </p>
      <CopyButton text={() => verdictMarkdown(model)} label="Copy as Markdown" />
    </section>
  );
}

/** The failure that the verdict is about; undefined if it is about time. */
function failureOf({ summary, findings: [first] }: Report): Finding | undefined {
  return first && summary.verdict === `${first.title}.` && (first.isFailure ?? true) ? first : undefined;
}

/** Missing parts of the data, if any. */
export function stateOf(report: Report, isRunning: boolean): string[] {
  if (isRunning) return ['The application is still running.'];
  if (report.application.complete || !isOfSpark(report)) return [];
  return [
    report.application.ended === false
      ? 'The data have no application end: it was still running, or they were cut off.'
      : 'Parts of the data are missing.',
  ];
}
