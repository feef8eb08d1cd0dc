// SPDX-License-Identifier: Apache-2.0
import type { Finding } from '../data/contract.ts';
import { duration } from '../state/format.ts';
import { useStore } from '../state/store.ts';
import { sentence } from './describe.ts';
import { TaskStrip } from './task_strip.tsx';

const surely = 0.8;
const perhaps = 0.5;
const inWords = (confidence: number) => (confidence >= surely ? 'high' : confidence >= perhaps ? 'medium' : 'low');

const withFullStop = (text: string) => (/[.!?]$/.test(text) ? text : `${text}.`);

export function FindingCard({ finding }: { finding: Finding }) {
  const store = useStore();
  const { selection } = finding;
  return (
    <article class={`card ${finding.severity}`}>
      <div>
        <h3>{finding.title}</h3>
        <p class="card-facts quiet">
          {finding.severity} severity · confidence: {inWords(finding.confidence)}
          {finding.gainNs ? ` · could save about ${duration(finding.gainNs)}` : ''}
        </p>
        <p>{withFullStop(finding.what)}</p>
        {finding.frames && finding.frames.length > 0 && <p><b>Code:</b> <code>{finding.frames.join(', ')}</code></p>}
        {finding.change && <p><b>What to do:</b> {withFullStop(finding.change)}</p>}
        <details>
          <summary>Evidence</summary>
          {finding.evidence && <p>{withFullStop(finding.evidence)}</p>}
          {finding.rule && <p class="quiet"><b>Rule:</b> {finding.rule}</p>}
        </details>
        {selection && Object.keys(selection).length > 0 && <button class="link" onClick={() => store.goTo(selection)}>Show {sentence(selection)}</button>}
      </div>
      {selection?.stage !== undefined && <TaskStrip selection={selection} />}
    </article>
  );
}
