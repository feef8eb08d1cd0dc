// SPDX-License-Identifier: Apache-2.0
// The answer first, then findings by what they could save; at the right the user's code and the cost.
import { useEffect } from 'preact/hooks';
import { findingsDuring } from '../analysis/finding_times.ts';
import type { Finding } from '../data/contract.ts';
import { isOfSpark } from '../data/model.ts';
import { saveCsv } from '../state/csv.ts';
import { useStore } from '../state/store.ts';
import { CoreTime } from './time/core_time.tsx';
import { CpuOwners } from './cpu_owners.tsx';
import { CopyButton } from './copy_button.tsx';
import { Coverage, Notices } from './coverage.tsx';
import { FilteredRows } from './filter_notes.tsx';
import { FindingRow } from './findings/finding_row.tsx';
import { MetricsTab } from './metrics_tab.tsx';
import { LargestStages } from './stages/largest_stages.tsx';
import { plural } from './text.ts';
import { TopFunctions } from './flame/top_functions.tsx';
import { VerdictText } from './verdict.tsx';

/** of the duration */
const noticeable = 0.02;

export function OverviewTab() {
  const store = useStore();
  const { report } = store.model;
  const { from, to } = store.selection.value;
  // in order of importance
  const findings = findingsDuring(store.model, report.findings, store.selection.value);
  const shown = findings.filter(({ folded }) => !folded);
  const rest = findings.filter((finding) => !shown.includes(finding));
  // the one that the address names is open and in sight
  const { finding: named } = store.view.value.parts;
  useEffect(() => {
    const at = [...shown, ...rest].findIndex(({ id }) => id === named);
    document.querySelectorAll('.finding')[at]?.scrollIntoView();
  }, [named]);
  const rowOf = (finding: Finding, open: boolean) => (
    <FindingRow key={`${finding.id} ${finding.id === named}`} finding={finding} whole={most} open={open || finding.id === named} />
  );
  // next to nothing is a short bar, also where nothing else can be saved
  const most = Math.max(noticeable * store.model.duration * 1e6, ...findings.map(({ savingMs }) => savingMs.high * 1e6));
  const isThin = report.events.length === 0;
  // of a host: its use is all there is to tell
  const isOfHost = !isOfSpark(report) && report.series.length > 0;
  // a finding tells where its time went
  const hasNoStory = findings.length === 0 || from !== undefined || to !== undefined;
  return (
    <div class="overview">
      <VerdictText />
      <div class="overview-columns">
        <section class="findings" aria-label="Findings">
          <h2>
            Findings <span class="quiet">{findings[0]?.isFailure ? 'failures first, then' : ''} by what they could save</span>
          </h2>
          {(rest.length > 0 ? shown : report.findings).length === 0 && <p class="quiet">None{rest.length > 0 && ' worth a change'}.</p>}
          <FilteredRows shown={findings.length} total={report.findings.length} what="findings" filters={['time']} />
          {shown.map((finding, at) => rowOf(finding, at === 0))}
          {rest.length > 0 && (
            <details class="more" open={rest.some(({ id }) => id === named)}>
              <summary>{plural(rest.length, 'more finding')}: a saving below 1%, or not known</summary>
              {rest.map((finding) => rowOf(finding, false))}
            </details>
          )}
          <SummaryText />
          {findings.length > 0 && (
            <p>
              <button onClick={() => saveFindings(findings)}>Save the findings as CSV</button>
            </p>
          )}
        </section>
        <div class="overview-side">
          {!isThin && <TopFunctions />}
          {hasNoStory && <LargestStages />}
          {report.timeSpent.length > 0 && <CoreTime />}
          {report.owners.length > 0 && <CpuOwners />}
          {isThin && !isOfHost && <Coverage />}
          <Notices />
        </div>
      </div>
      {isOfHost && <MetricsTab />}
    </div>
  );
}

function saveFindings(findings: Finding[]): void {
  saveCsv(
    'findings',
    ['finding', 'severity', 'confidence', 'savingLowMs', 'savingHighMs', 'stages', 'code', 'what', 'change'],
    findings.map(({ title, severity, confidence, savingMs, stages, frames, what, change }) => [
      title,
      severity,
      confidence,
      savingMs.low,
      savingMs.high,
      stages?.join(' ') ?? '',
      frames?.join(' ') ?? '',
      what,
      change ?? '',
    ]),
  );
}

function SummaryText() {
  const store = useStore();
  const { summary, findings, wall, timeSpent } = store.model.report;
  const lines = summary.lines ?? [];
  if (lines.length === 0) return null;
  const text = lines.join('\n');
  const isAllThereIs = findings.length + wall.begin.length + timeSpent.length === 0;
  return (
    <details class="summary" open={isAllThereIs}>
      <summary>Summary as text</summary>
      <pre tabIndex={0}>{text}</pre>
      <CopyButton text={() => text} label="Copy" />
    </details>
  );
}
