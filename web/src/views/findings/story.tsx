// SPDX-License-Identifier: Apache-2.0
// An open finding as a story: the claim, one picture of it, the line, the change, what it would save, and what was ruled out.
import { diffLines, differencesOf, predictionOf } from '../../analysis/findings/change.ts';
import { excerptOf } from '../../analysis/findings/source_line.ts';
import type { Finding, Selection } from '../../data/contract.ts';
import { duration } from '../../state/format.ts';
import { findingMarkdown, worthOf } from '../../state/markdown.ts';
import { useStore, type Store } from '../../state/store.ts';
import { CopyButton } from '../copy_button.tsx';
import { describe, sentence } from '../describe.ts';
import { asSentence, callOf } from '../text.ts';
import { FindingPicture } from './finding_picture.tsx';

/** Target of the link of a selection; empty where that would be nothing in particular. */
function shows(store: Store, selection: Selection): string {
  if (describe(selection).length > 0) return sentence(selection);
  return store.model.report.events.length > 0 ? 'the flame graph' : '';
}

/** `withPicture`: not of a closed one, as it takes time */
export function Story({ finding, withPicture }: { finding: Finding; withPicture: boolean }) {
  const store = useStore();
  const { evidence: selection, change, confidence, condition, severity } = finding;
  return (
    <div class="story">
      <div class="story-column">
        <div class="story-claim">
          <p>{asSentence(finding.what)}</p>
          {finding.measured && <p class="quiet">{asSentence(finding.measured)}</p>}
          {selection && shows(store, selection) && (
            <button class="link" onClick={() => store.goTo(selection)}>
              Show {shows(store, selection)}
            </button>
          )}
        </div>
        <div class="story-change">
          <Lines finding={finding} />
          {change && (
            <section aria-label="Change">
              <h3>Change</h3>
              <p class="advice">{asSentence(change)}</p>
              <Differences finding={finding} />
            </section>
          )}
        </div>
      </div>
      <div class="story-column">
        <div class="story-picture">{withPicture && <FindingPicture finding={finding} />}</div>
        <div class="story-proof">
          <PredictedBar finding={finding} />
          <RuledOut finding={finding} />
          <p class="finding-facts quiet">
            Severity: {severity} · confidence: {confidence}
            {(finding.savingCost || finding.isFailure) && worthOf(finding) && ` · could save ${worthOf(finding)}`}
            {condition && ` · rule: ${condition}`}
          </p>
          <CopyButton text={() => findingMarkdown(store.model, finding)} label="Copy for a pull request" />
        </div>
      </div>
    </div>
  );
}

/** The lines of code, the first one with what stands around it. */
function Lines({ finding: { frames = [], stages = [] } }: { finding: Finding }) {
  const { report } = useStore().model;
  const [first] = frames;
  if (!first) return stages.length > 0 ? <FirstJob stages={stages} /> : null;
  const excerpt = excerptOf(report, first);
  return (
    <section aria-label="Code">
      <h3>Code</h3>
      <p>
        <code>{frames.join(', ')}</code>
      </p>
      {excerpt && (
        <table class="code excerpt" aria-label={`Lines of ${excerpt.path}`}>
          <tbody>
            {excerpt.lines.map((line, i) => (
              <tr key={i} class={excerpt.first + i === excerpt.line ? 'sampled' : ''}>
                <td class="quiet">{excerpt.first + i}</td>
                <td>{line}</td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
    </section>
  );
}

/** The first job of the stages, and its query or the one after it: for a log without lines of code. */
function FirstJob({ stages }: { stages: number[] }) {
  const { jobs, sql } = useStore().model.report;
  const own = jobs.filter(({ stageIds }) => stageIds.some((id) => stages.includes(id)));
  const [first] = own;
  if (!first) return null;
  const { jobId, line, sqlExecutionId, completionTime = Infinity } = first;
  const query = sql.find(({ id, description, submissionTime = 0 }) =>
    sqlExecutionId === undefined ? submissionTime >= completionTime && !description.includes(' at ') : id === sqlExecutionId,
  );
  const job = `${callOf(line)} (job ${jobId}${own.length > 1 ? ` and ${own.length - 1} more` : ''})`;
  return (
    <section aria-label="Code">
      <h3>Code</h3>
      <code>{query ? `${job}, then SQL query ${query.id}: ${callOf(query.description)}` : job}</code>
      <p class="quiet">The log has no line of your code.</p>
    </section>
  );
}

function Differences({ finding }: { finding: Finding }) {
  return (
    <>
      {differencesOf(finding).map((difference) => (
        <figure key={difference.title} class="diff">
          <figcaption class="quiet">{difference.title}</figcaption>
          <pre tabIndex={0}>
            {diffLines(difference).map((line, i) => (
              <span key={i} class={line.startsWith('-') ? 'removed' : 'added'}>
                {line}
              </span>
            ))}
          </pre>
        </figure>
      ))}
    </>
  );
}

/** The duration with the change below the recorded one; its range is hatched. */
function PredictedBar({ finding }: { finding: Finding }) {
  const { model } = useStore();
  const prediction = predictionOf(finding, model.duration);
  if (!prediction) return null;
  const { recorded, low, high } = prediction;
  const percent = (ms: number) => `${((100 * ms) / recorded).toFixed(2)}%`;
  const other = model.report.findings.find(({ id }) => id === finding.overlaps);
  return (
    <section class="predicted" aria-label="Prediction">
      <h3>
        With the change <span class="quiet">could save {finding.saving}</span>
      </h3>
      <div class="predicted-row">
        <span class="predicted-bar">
          <i style={{ width: '100%' }} />
        </span>
        <span>{duration(recorded * 1e6)} recorded</span>
      </div>
      <div class="predicted-row">
        <span class="predicted-bar then">
          <i style={{ width: percent(low) }} />
          <i class="range" style={{ left: percent(low), width: percent(high - low) }} />
        </span>
        <span>
          {duration(low * 1e6) === duration(high * 1e6) ? duration(low * 1e6) : `${duration(low * 1e6)} to ${duration(high * 1e6)}`}{' '}
          predicted
        </span>
      </div>
      {other && <p class="quiet">Not in addition to: {other.title}</p>}
    </section>
  );
}

function RuledOut({ finding: { ruledOut = [] } }: { finding: Finding }) {
  if (ruledOut.length === 0) return null;
  return (
    <section aria-label="Ruled out">
      <h3>Checked and ruled out</h3>
      <ul class="ruled-out">
        {ruledOut.map((text) => (
          <li key={text}>{text}</li>
        ))}
      </ul>
    </section>
  );
}
