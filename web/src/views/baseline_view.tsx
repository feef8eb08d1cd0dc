// SPDX-License-Identifier: Apache-2.0
// The choice of a second report as baseline, and what both did in sum.
import { useRef, useState } from 'preact/hooks';
import type { Report } from '../data/contract.ts';
import { ReportError } from '../data/decode.ts';
import { closeBaseline, nameOf, openBaseline } from '../state/baseline.ts';
import { useStore } from '../state/store.ts';
import { RatioTable } from './ratio_table.tsx';
import { sideTitles } from './sides.ts';

export function BaselineInput() {
  const store = useStore();
  const input = useRef<HTMLInputElement>(null);
  const [error, setError] = useState('');
  const open = async (file: File | undefined) => {
    if (!file) return;
    try {
      setError('');
      await openBaseline(store, file);
    } catch (problem) {
      if (!(problem instanceof ReportError)) throw problem;
      setError(problem.message);
    }
  };
  return (
    <>
      {error && (
        <span class="bad" role="alert">
          {error}
        </span>
      )}
      <input
        ref={input}
        id="baseline"
        type="file"
        accept=".html"
        hidden
        aria-label="Report to compare with"
        onChange={(event) => {
          void open(event.currentTarget.files?.[0]);
          event.currentTarget.value = '';
        }}
      />
      <button title="Compare with another report.html, the baseline" onClick={() => input.current?.click()}>
        Baseline…
      </button>
    </>
  );
}

const measures = [
  ['executorRunTimeNs', 'Task run time', 'ns'],
  ['executorCpuTimeNs', 'Task CPU', 'ns'],
  ['gcTimeNs', 'Task GC', 'ns'],
  ['inputBytes', 'Input', 'bytes'],
  ['shuffleReadBytes', 'Shuffle read', 'bytes'],
  ['shuffleWriteBytes', 'Shuffle write', 'bytes'],
  ['diskSpilledBytes', 'Spilled to disk', 'bytes'],
] as const;

const sumOf = ({ stages }: Report, metric: string) => stages.reduce((sum, { totals }) => sum + (totals[metric] ?? 0), 0);
const durationOf = ({ application: { startTime, endTime } }: Report) => Math.max(0, endTime - startTime) * 1e6;

/** Totals of two reports, and the way back to the first. */
export function BaselineSums() {
  const store = useStore();
  const both = store.baseline.value;
  if (!both) return null;
  const sides: [Report, Report] = [both.own.report, both.other];
  const row = (label: string, unit: string, value: (report: Report) => number) => ({ label, unit, a: value(sides[0]), b: value(sides[1]) });
  const rows = [
    row('Duration', 'ns', durationOf),
    row('Tasks', 'count', ({ summary }) => summary.counts?.tasks ?? 0),
    ...measures.map(([metric, label, unit]) => row(label, unit, (report) => sumOf(report, metric))),
  ].filter(({ a, b }) => a > 0 || b > 0);
  return (
    <section class="compared-metrics" aria-label="Compared reports">
      <RatioTable caption={`${nameOf(sides[0])} against ${nameOf(sides[1])}`} sides={sideTitles(store)} rows={rows} />
      <button onClick={() => closeBaseline(store)}>Back to the report</button>
    </section>
  );
}
