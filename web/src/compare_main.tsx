// SPDX-License-Identifier: Apache-2.0
// The page of `sparkprof compare -o`: two runs of a job.
import { render } from 'preact';
import { decodeReport } from './data/decode.ts';
import { CompareFilePage } from './server/compare/compare_file_page.tsx';
import type { RunChange } from './server/run_change.ts';
import './style/page.css';
import './style/server.css';

interface CompareData {
  change: RunChange;
  /** as a report has them, docs/report-data.md */
  before: string;
  after: string;
}

async function start(): Promise<void> {
  const host = document.getElementById('app')!;
  const place = document.getElementById('sparkprof-data')!;
  const { change, before, after } = JSON.parse(place.textContent ?? '') as CompareData;
  // the text can be large and is no longer needed
  place.replaceChildren();
  const reports = await Promise.all([decodeReport(before), decodeReport(after)]);
  host.replaceChildren();
  render(<CompareFilePage change={change} reports={reports} />, host);
  performance.mark('sparkprof-shown');
}

void start();
