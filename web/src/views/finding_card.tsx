// SPDX-License-Identifier: Apache-2.0
import type { Finding, Selection } from '../data/contract.ts';
import { roughly } from '../state/format.ts';
import { useStore, type Store } from '../state/store.ts';
import { describe, sentence } from './describe.ts';
import { FindingPicture } from './finding_picture.tsx';

const surely = 0.8;
const perhaps = 0.5;
const inWords = (confidence: number) => (confidence >= surely ? 'high' : confidence >= perhaps ? 'medium' : 'low');

const withFullStop = (text: string) => (/[.!?…]$/.test(text) ? text : `${text}.`);

/** "9.0 s to 12.8 s"; empty where it is not known. */
export function savingOf({ gainNs, savingMs }: Finding): string {
  if (!gainNs) return '';
  const [low, high] = [roughly((savingMs?.low ?? 0) * 1e6), roughly(savingMs ? savingMs.high * 1e6 : gainNs)];
  return savingMs && low !== high ? `${low} to ${high}` : high;
}

/** Target of the link of a selection; empty where that would be nothing in particular. */
function shows(store: Store, selection: Selection): string {
  if (describe(selection).length > 0) return sentence(selection);
  return store.model.report.events.length > 0 ? 'the flame graph' : '';
}

export function FindingCard({ finding }: { finding: Finding }) {
  const store = useStore();
  const { selection } = finding;
  return (
    <article class={`card ${finding.severity}`}>
      <div>
        <h3>{finding.title}</h3>
        <p class="card-facts quiet">
          {finding.severity} severity · confidence: {inWords(finding.confidence)}
          {savingOf(finding) && ` · could save about ${savingOf(finding)}`}
        </p>
        <p>{withFullStop(finding.what)}</p>
        {finding.frames && finding.frames.length > 0 && (
          <p>
            <b>Code:</b> <code>{finding.frames.join(', ')}</code>
          </p>
        )}
        {finding.change && (
          <p>
            <b>What to do:</b> {withFullStop(finding.change)}
          </p>
        )}
        <details>
          <summary>Evidence</summary>
          {finding.evidence && <p>{withFullStop(finding.evidence)}</p>}
          {finding.rule && (
            <p class="quiet">
              <b>Rule:</b> {finding.rule}
            </p>
          )}
        </details>
        {selection && shows(store, selection) && (
          <button class="link" onClick={() => store.goTo(selection)}>
            Show {shows(store, selection)}
          </button>
        )}
      </div>
      <FindingPicture finding={finding} />
    </article>
  );
}
