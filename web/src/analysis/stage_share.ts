// SPDX-License-Identifier: Apache-2.0
import type { Selection } from '../data/contract.ts';
import type { Model } from '../data/model.ts';

/** Row of the stage that a selection means; -1 for none. */
export function stageRowOf(model: Model, selection: Selection | null | undefined): number {
  if (selection?.stage === undefined) return -1;
  return model.stageById.get(`${selection.stage}.${selection.stageAttempt ?? 0}`) ?? -1;
}

/** Parts of the wall time that hold less of all stages' time do not tell about single ones. */
const enough = 0.5;

/**
 * The wall time of each stage, ns: its parts of the wall time, as the Overview draws them; 0 for stages that only ran beside others, or are
 * among the shorter parts. With thousands of short stages there are no such parts: then the time in which their tasks ran, by their number.
 */
export function wallOfStages(model: Model): number[] {
  const { stages, wallTime } = model.report;
  const parts = new Float64Array(stages.length);
  let ofStages = 0;
  let others = 0;
  for (const { name, selection, ns } of wallTime) {
    const row = stageRowOf(model, selection);
    if (row >= 0) {
      parts[row]! += ns;
      ofStages += ns;
    } else if (!isDriver(name)) others += ns;
  }
  return ofStages > 0 && ofStages >= enough * (ofStages + others) ? [...parts] : stages.map(({ wallNs = 0 }) => wallNs);
}

/** Whether a part of the wall time, by its name, is the driver's. */
export const isDriver = (name: string) => /^Driver\b|: Driver\b/.test(name);
