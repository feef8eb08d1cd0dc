// SPDX-License-Identifier: Apache-2.0
import type { Report } from '../data/contract.ts';
import { isOfSpark } from '../data/model.ts';
import { useStore } from '../state/store.ts';
import { CopyMarkdown } from './copy_markdown.tsx';

/** The answer first. It is made once, by the command, and is the same everywhere. */
export function VerdictText() {
  const store = useStore();
  const { report } = store.model;
  const { from, to } = store.selection.value;
  return (
    <section class="verdict" aria-label="Verdict">
      <p class="verdict-line" data-verdict>
        {report.summary.verdict}
      </p>
      <p class="verdict-state">
        {stateOf(report, store.running.value).map((text) => (
          <span key={text} class="warn">
            {text}
          </span>
        ))}
        {(from !== undefined || to !== undefined) && <span class="quiet">For the whole run, not only for the selected time.</span>}
      </p>
      <CopyMarkdown />
    </section>
  );
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
