// SPDX-License-Identifier: Apache-2.0
// The sizes of both sides of a join, in bytes where the plan has them, else in rows.
import type { Finding, PlanNode } from '../../data/contract.ts';
import type { Model } from '../../data/model.ts';
import { layOutPlan } from '../plan_graph.ts';

export interface JoinSides {
  name: string;
  unit: 'bytes' | 'count';
  /** the larger side first; then, in rows, what the join returns */
  parts: { label: string; value: number; isResult: boolean }[];
}

const sizes = [/^data size$/i, /^shuffle bytes written$/i];

/** Bytes of the first exchange or broadcast below a side. */
function bytesOf(node: PlanNode): number | null {
  for (const size of sizes) {
    const metric = node.metrics?.find(({ name, value }) => size.test(name) && value !== null);
    if (metric) return metric.value;
  }
  const [child, ...others] = node.children ?? [];
  return child && others.length === 0 ? bytesOf(child) : null;
}

function rowsOf(node: PlanNode): number | null {
  if (node.rowsOut !== undefined) return node.rowsOut;
  const [child, ...others] = node.children ?? [];
  return child && others.length === 0 ? rowsOf(child) : null;
}

const added = ({ rowsIn = 0, rowsOut = 0 }: PlanNode) => rowsOut - rowsIn;

/** The operator that adds most rows, of those whose name the finding begins with. */
export function sidesOf(model: Model, { rule, what, evidence }: Finding): JoinSides | null {
  const plan = model.sqlById.get(evidence?.sql ?? -1)?.plan;
  const [node] = (plan ? layOutPlan(plan).nodes : [])
    .map((placed) => placed.node)
    .filter(({ name }) => what.startsWith(`${name} `))
    .sort((a, b) => added(b) - added(a));
  if (!node) return null;
  const { name, children = [], rowsIn = 0, rowsOut = 0 } = node;
  const inBytes = children.map(bytesOf);
  if (rule !== 'exploding-join' && inBytes.length === 2 && inBytes.every((value) => value !== null)) {
    const parts = inBytes.map((value, side) => ({ label: side === 0 ? 'Left side' : 'Right side', value: value!, isResult: false }));
    return { name, unit: 'bytes', parts: parts.sort((a, b) => b.value - a.value) };
  }
  if (!rowsIn || !rowsOut) return null;
  const inRows = children.map(rowsOf);
  const sides =
    inRows.length === 2 && inRows.every((value) => value !== null)
      ? inRows.map((value, side) => ({ label: side === 0 ? 'Left side' : 'Right side', value: value!, isResult: false }))
      : [{ label: 'Reads', value: rowsIn, isResult: false }];
  return { name, unit: 'count', parts: [...sides, { label: 'Returns', value: rowsOut, isResult: true }] };
}
