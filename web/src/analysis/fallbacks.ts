// SPDX-License-Identifier: Apache-2.0
import type { PlanNode } from '../data/contract.ts';

/** Operators of one name that an engine leaves to Spark for one reason. */
export interface Fallback {
  name: string;
  reason: string;
  count: number;
  /** ns; undefined = unknown for all of them */
  cost: number | undefined;
}

/** The operators that the engine of a plan leaves to Spark, the most expensive first. */
export function fallbacksOf(plan: PlanNode): Fallback[] {
  const found = new Map<string, Fallback>();
  const add = ({ name, fallback, children = [] }: PlanNode) => {
    if (fallback) {
      const key = `${name}\n${fallback.reason}`;
      const group = found.get(key) ?? { name, reason: fallback.reason, count: 0, cost: undefined };
      group.count++;
      if (fallback.costNs !== undefined) group.cost = (group.cost ?? 0) + fallback.costNs;
      found.set(key, group);
    }
    children.forEach(add);
  };
  add(plan);
  return [...found.values()].sort((a, b) => (b.cost ?? -1) - (a.cost ?? -1));
}
