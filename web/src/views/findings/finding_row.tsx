// SPDX-License-Identifier: Apache-2.0
// A finding as a row: the bar of its saving, its title, the line of code. Open, it is a story.
import { useState } from 'preact/hooks';
import { savedMs } from '../../analysis/findings/change.ts';
import type { Finding } from '../../data/contract.ts';
import { worthOf } from '../../state/markdown.ts';
import { printing } from '../../state/printing.ts';
import { Story } from './story.tsx';

/** The word in place of a saving: for a failure, and for an unknown one. */
const withoutSaving = ({ isFailure, folded }: Finding): string => (isFailure ? 'failure' : folded === false ? 'risk' : '–');

/** `whole`: ns of the bar's full width. */
export function FindingRow({ finding, whole, open }: { finding: Finding; whole: number; open: boolean }) {
  const { frames = [], saving } = finding;
  const saved = savedMs(finding);
  const [isOpen, setOpen] = useState(open);
  const low = (saved.low * 1e6) / whole;
  const high = (saved.high * 1e6) / whole;
  return (
    <details class={`finding ${finding.severity}`} open={open} onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary>
        <span class="finding-saving" title={worthOf(finding) || 'The saving is not known'}>
          {saving && !finding.isFailure ? (
            <>
              <i aria-hidden="true">
                <i class="range" style={{ width: `${100 * Math.min(1, high)}%` }} />
                <i style={{ width: `${100 * Math.min(1, low || high)}%` }} />
              </i>
              <span>{saving}</span>
            </>
          ) : (
            <span class={finding.isFailure ? 'bad' : 'quiet'}>{withoutSaving(finding)}</span>
          )}
        </span>
        <span class="finding-title">{finding.title}</span>
        {frames.length > 0 && <span class="finding-code code quiet">{frames[0]}</span>}
      </summary>
      <Story finding={finding} withPicture={isOpen || printing.value} />
    </details>
  );
}
