// SPDX-License-Identifier: Apache-2.0
// The stack that most samples of a selection have: from the root, always the heaviest callee.
import { Origin, type Selection } from '../../data/contract.ts';
import { totalsOf } from '../../data/call_tree.ts';
import type { Model } from '../../data/model.ts';
import { compileSelection, weigh } from '../selection.ts';

export interface StackRow {
  label: number;
  /** of the selection's weight */
  share: number;
  isUser: boolean;
}

/** A smaller share of its caller is one way of many: the stack ends above it. */
const most = 0.5;

/** The program does not matter where less of the weight is its own. */
const leastOfUser = 0.1;

/** The weights of nodes below a frame of the user; those of all where next to nothing is there. */
function ofUser({ tree, functions }: Model, self: Float64Array, total: number): Float64Array {
  const isBelow = new Uint8Array(tree.count);
  for (let node = 1; node < tree.count; node++)
    isBelow[node] = functions.origin[tree.label[node]!] === Origin.User ? 1 : isBelow[tree.parent[node]!]!;
  const own = self.map((weight, node) => weight * isBelow[node]!);
  return own.reduce((sum, weight) => sum + weight, 0) >= leastOfUser * total ? own : self;
}

/** The frames from the outermost one of the user on; all of them without any. Empty without samples. Threads of the JVM hide no program. */
export function heaviestStack(model: Model, selection: Selection): StackRow[] {
  if (model.report.events.length === 0) return [];
  const { self, total } = weigh(model, compileSelection(model, selection, true));
  if (total === 0) return [];
  const { tree, functions } = model;
  const totals = totalsOf(tree, ofUser(model, self, total));
  const heaviest = new Int32Array(tree.count).fill(-1);
  for (let node = 1; node < tree.count; node++) {
    const above = tree.parent[node]!;
    if (heaviest[above]! < 0 || totals[node]! > totals[heaviest[above]!]!) heaviest[above] = node;
  }
  const stack: StackRow[] = [];
  let whole = totals[0]!;
  for (let node = heaviest[0]!; node > 0 && totals[node]! >= most * whole; node = heaviest[node]!) {
    whole = totals[node]!;
    const label = tree.label[node]!;
    stack.push({ label, share: totals[node]! / total, isUser: functions.origin[label] === Origin.User });
  }
  const first = stack.findIndex(({ isUser }) => isUser);
  return stack.slice(Math.max(0, first));
}
