// SPDX-License-Identifier: Apache-2.0
import { useMemo } from 'preact/hooks';
import { verdictOf } from '../analysis/verdict.ts';
import type { Report } from '../data/contract.ts';
import { isOfSpark } from '../data/model.ts';
import { shortName } from '../charts/flame/labels.ts';
import { duration, share } from '../state/format.ts';
import { useStore } from '../state/store.ts';
import { worthOf } from '../state/markdown.ts';
import { CopyMarkdown } from './copy_markdown.tsx';

/** of the duration */
const smallestSaving = 0.01;

/** The answer first: where the time is, in whose code, the main finding and its saving. */
export function VerdictText() {
  const store = useStore();
  const { model } = store;
  const { report } = model;
  const { place, code, finding, ...verdict } = useMemo(() => verdictOf(model), [model]);
  // a saving that is next to nothing is no answer
  const saving = finding && finding.savingMs.high * 1e6 >= smallestSaving * verdict.duration ? worthOf(finding) : '';
  const [line = ''] = finding?.frames ?? [];
  const isNamed = line === code?.text || !!place?.name.includes(line);
  return (
    <section class="verdict" aria-label="Verdict">
      <p class="verdict-line">
        <b>{duration(verdict.duration)}</b>
        {place && (
          <>
            {': '}
            <b>{share(place.share)}</b> in{' '}
            <button class="link" onClick={() => store.goTo(place.selection)}>
              {place.text}
            </button>
            {!code && (
              <span class="verdict-name">
                , {place.work && <span class="verdict-work">{place.work}, </span>}
                {place.name}
              </span>
            )}
            {code && (
              <>
                , of which <b>{share(code.share)}</b> in{' '}
                <button
                  class="link code-name"
                  onClick={() => {
                    store.goTo(place.selection);
                    store.update({ sandwich: model.functions.name[code.label]! });
                  }}>
                  {shortName(code.text)}
                </button>
              </>
            )}
          </>
        )}
        .
      </p>
      <p class="verdict-finding">
        {finding ? (
          <>
            <b>{finding.title}</b>
            {!isNamed && (
              <>
                : <span class="code">{line}</span>
              </>
            )}
            .
          </>
        ) : (
          noFindings(report)
        )}
        {saving && (
          <>
            {' '}
            Could save about <b>{saving}</b>.
          </>
        )}
        {stateOf(report, store.running.value).map((text) => (
          <span key={text} class="warn">
            {' '}
            {text}
          </span>
        ))}
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

export function noFindings({ rules }: Report): string {
  if (rules && !rules.applied) return `Not checked for known problems: ${rules.notChecked.map(({ reason }) => reason).join(', ')}.`;
  const none = `No known problems detected${rules?.checked === undefined ? '' : ` (${rules.checked} rules checked)`}.`;
  if (!rules || rules.notChecked.length === 0) return none;
  return `${none} Not checked: ${rules.notChecked.map(({ what, reason }) => `${what} (${reason})`).join(', ')}.`;
}
