// SPDX-License-Identifier: Apache-2.0
// How much of what happened the samples cover, by event.
import type { Report, Unit } from '../data/contract.ts';

export interface EventCoverage {
  name: string;
  label: string;
  unit: Unit;
  count: number;
  weight: number;
  onTaskThreads: number;
  joined: number;
  lost: number;
}

export function coverageOf(report: Report): EventCoverage[] {
  const known = report.summary.samples ?? {};
  return report.events.map(({ name, label, unit }) => {
    const { count = 0, weight = 0, onTaskThreads = 0, joined = 0, lost = 0 } = known[name] ?? {};
    return { name, label, unit, count, weight, onTaskThreads, joined, lost };
  });
}

/** One line for the head of the page; empty without samples. */
export function coverageLine(report: Report): { text: string; good: boolean } | null {
  const rows = coverageOf(report).filter((row) => row.onTaskThreads > 0);
  if (rows.length === 0) return null;
  const joined = rows.reduce((sum, row) => sum + row.joined, 0) / rows.reduce((sum, row) => sum + row.onTaskThreads, 0);
  const lost = coverageOf(report).reduce((sum, row) => sum + row.lost, 0);
  const all = coverageOf(report).reduce((sum, row) => sum + row.count, 0);
  // rounded down, so that less than 100% never reads as 100%
  const attributed = joined === 1 ? 'All' : `${(Math.floor(joined * 1000) / 10).toFixed(1).replace(/\.0$/, '')}% of`;
  const text = `${attributed} task samples attributed${lost > 0 ? `, ${lost.toLocaleString('en-US')} of ${(all + lost).toLocaleString('en-US')} lost` : ''}`;
  return { text, good: joined >= 0.95 && lost <= all * 0.01 };
}
