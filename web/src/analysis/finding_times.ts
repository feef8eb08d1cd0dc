// SPDX-License-Identifier: Apache-2.0
// When a finding's evidence happened.
import type { Finding, Selection } from '../data/contract.ts';
import type { Model } from '../data/model.ts';
import { overlaps, ranIn, tasksDuring } from './selection.ts';

/** Findings whose evidence lies, also in part, in the time of a selection; those without a place in time stay. */
export function findingsDuring(model: Model, findings: Finding[], { from, to }: Selection): Finding[] {
  if (from === undefined && to === undefined) return findings;
  return findings.filter(({ evidence = {}, stages }) => {
    if (evidence.from !== undefined || evidence.to !== undefined)
      return overlaps({ from, to }, evidence.from ?? 0, evidence.to ?? model.duration);
    if (evidence.task !== undefined) return tasksDuring(model, { ...evidence, from, to })?.includes(1) ?? true;
    const spans = [
      ...model.report.stages.filter(({ stageId }) => stageId === evidence.stage || stages?.includes(stageId)),
      ...model.report.sql.filter(({ id }) => id === evidence.sql),
    ];
    return spans.length === 0 || spans.some((span) => ranIn(model, { from, to }, span));
  });
}
