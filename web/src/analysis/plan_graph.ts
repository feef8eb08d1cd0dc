// SPDX-License-Identifier: Apache-2.0
// A physical plan laid out as a picture: the result at the top, below each node what it reads. The first child stands
// right below its parent, the others in columns to the right, so that what one stage runs in one go is one column.
import type { PlanMetric, PlanNode } from '../data/contract.ts';

export interface GraphNode {
  node: PlanNode;
  parent: number;
  children: number[];
  column: number;
  row: number;
  /** the stage that runs it; -1 if unknown */
  stage: number;
  /** its whole-stage code generation, "3"; empty = none */
  codegen: string;
  /** of wrappers omitted directly above it */
  wrapperMetrics: PlanMetric[];
  /** position in the plan in preorder, wrappers included */
  number: number;
  /** what it cost itself, see ownTime; ns */
  time: number;
  rows: number | null;
}
export interface PlanGraph {
  nodes: GraphNode[];
  columns: number;
  rows: number;
}

const wrapper = /^(WholeStageCodegen(?:Transformer)? \((\d+)\)|InputAdapter|\w+QueryStage|Photon\w*Stage)$/;
/** Boundary between the data of two stages. */
export const isExchange = ({ name }: PlanNode) => /Exchange/.test(name) && !/^Reused/.test(name);

/**
 * Time of the operator itself, ns, never that of a wrapper, which includes all that it wraps: CPU time and waiting. Without samples,
 * elapsed time as its engine measured it, and else as Spark did.
 */
export function ownTime({ cpuNs, waitNs = 0, elapsedNs = 0, gpuNs, nativeNs }: PlanNode): number {
  return (cpuNs ?? gpuNs ?? nativeNs ?? elapsedNs) + waitNs;
}

/** Whether the plan's times are CPU time and waiting, or elapsed times. */
export const isSampled = (plan: PlanNode): boolean => plan.cpuNs !== undefined || (plan.children ?? []).some(isSampled);

/** Nodes in preorder; wrappers without work of their own are replaced by their children. */
export function layOutPlan(plan: PlanNode): PlanGraph {
  const nodes: GraphNode[] = [];
  let columns = 0;
  let rows = 0;
  let next = 0;
  const add = (node: PlanNode, parent: number, row: number, column: number, codegen: string, wrapperMetrics: PlanMetric[]) => {
    const number = next++;
    const wraps = wrapper.exec(node.name);
    if (wraps && node.children?.length === 1) {
      add(node.children[0]!, parent, row, column, wraps[2] ?? '', [...wrapperMetrics, ...(node.metrics ?? [])]);
      return;
    }
    const at = nodes.length;
    nodes.push({
      node,
      parent,
      children: [],
      column,
      row,
      codegen: isExchange(node) ? '' : codegen,
      wrapperMetrics,
      stage: -1,
      number,
      time: ownTime(node),
      rows: node.rowsOut ?? null,
    });
    if (parent >= 0) nodes[parent]!.children.push(at);
    columns = Math.max(columns, column + 1);
    rows = Math.max(rows, row + 1);
    (node.children ?? []).forEach((child, i) => add(child, at, row + 1, i === 0 ? column : columns, codegen, []));
  };
  add(plan, -1, 0, 0, '', []);
  setStages(nodes);
  return { nodes, columns, rows };
}

/**
 * An exchange belongs to the stage that writes it, the lowest known one; any other node to the highest. One that
 * has no metrics runs where the node above it does, or that below it, unless an exchange lies between.
 */
function setStages(nodes: GraphNode[]): void {
  for (const one of nodes) {
    const { stages = [] } = one.node;
    if (stages.length > 0) one.stage = isExchange(one.node) ? Math.min(...stages) : Math.max(...stages);
  }
  for (let at = nodes.length - 1; at >= 0; at--) {
    // from below
    const one = nodes[at]!;
    const first = nodes[one.children[0] ?? -1];
    if (one.stage < 0 && first && !isExchange(first.node)) one.stage = first.stage;
  }
  for (const one of nodes) {
    // from above
    const parent = nodes[one.parent];
    if (one.stage < 0 && parent && !isExchange(one.node)) one.stage = parent.stage;
  }
}
