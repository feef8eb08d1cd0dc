// SPDX-License-Identifier: Apache-2.0
// A finding as a row: the bar of its saving, its title, the line of code. Open, it shows evidence and advice.
import { useState } from 'preact/hooks';
import type { Finding, Selection } from '../data/contract.ts';
import { worthOf } from '../state/markdown.ts';
import { useStore, type Store } from '../state/store.ts';
import { copyText } from './copy.ts';
import { describe, sentence } from './describe.ts';
import { FindingPicture } from './finding_picture.tsx';
import { asSentence } from './text.ts';

/** Target of the link of a selection; empty where that would be nothing in particular. */
function shows(store: Store, selection: Selection): string {
  if (describe(selection).length > 0) return sentence(selection);
  return store.model.report.events.length > 0 ? 'the flame graph' : '';
}

/** `whole`: ns of the bar's full width. */
export function FindingRow({ finding, whole, open }: { finding: Finding; whole: number; open: boolean }) {
  const store = useStore();
  const { evidence: selection, frames = [], saving, savingMs } = finding;
  const [isOpen, setOpen] = useState(open);
  const worth = worthOf(finding);
  const low = (savingMs.low * 1e6) / whole;
  const high = (savingMs.high * 1e6) / whole;
  return (
    <details class={`finding ${finding.severity}`} open={open} onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary>
        <span class="finding-saving" title={worth || 'The saving is not known'}>
          {saving ? (
            <>
              <i aria-hidden="true">
                <i class="range" style={{ width: `${100 * Math.min(1, high)}%` }} />
                <i style={{ width: `${100 * Math.min(1, low || high)}%` }} />
              </i>
              <span>{saving}</span>
            </>
          ) : (
            <span class="quiet">{finding.severity === 'high' ? 'failure' : '–'}</span>
          )}
        </span>
        <span class="finding-title">{finding.title}</span>
        {frames.length > 0 && <span class="finding-code code quiet">{frames[0]}</span>}
      </summary>
      <div class="finding-body">
        <div>
          <p>{asSentence(finding.what)}</p>
          {finding.measured && <p class="quiet">{asSentence(finding.measured)}</p>}
          {frames.length > 1 && (
            <p>
              <b>Code:</b> <code>{frames.join(', ')}</code>
            </p>
          )}
          {finding.change && <Advice text={asSentence(finding.change)} />}
          <p class="finding-facts quiet">
            Severity: {finding.severity} · confidence: {finding.confidence}
            {finding.savingCost && ` · could save about ${worth}`}
            {finding.condition && ` · rule: ${finding.condition}`}
          </p>
          {selection && shows(store, selection) && (
            <button class="link" onClick={() => store.goTo(selection)}>
              Show {shows(store, selection)}
            </button>
          )}
        </div>
        {isOpen && <FindingPicture finding={finding} />}
      </div>
    </details>
  );
}

function Advice({ text }: { text: string }) {
  const [copied, setCopied] = useState(false);
  return (
    <div class="advice">
      <p>{text}</p>
      <button class="copy" onClick={() => void copyText(text).then(() => setCopied(true))}>
        {copied ? 'Copied' : 'Copy'}
      </button>
    </div>
  );
}
