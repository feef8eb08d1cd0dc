// SPDX-License-Identifier: Apache-2.0
import type { PlanNode } from '../data/contract.ts';

export interface Fallback {
  name: string;
  reason: string;
  /** ns; undefined = unknown */
  cost: number | undefined;
}

/** The operators of a plan that its engine leaves to Spark, the most expensive ones first. */
export function fallbacksOf(plan: PlanNode): Fallback[] {
  const found: Fallback[] = [];
  const add = ({ name, fallback, children = [] }: PlanNode) => {
    if (fallback) found.push({ name, reason: fallback.reason, cost: fallback.costNs });
    children.forEach(add);
  };
  add(plan);
  return found.sort((a, b) => (b.cost ?? -1) - (a.cost ?? -1));
}
