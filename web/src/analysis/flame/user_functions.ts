// SPDX-License-Identifier: Apache-2.0
// The user's own functions, of the JVM and of Python together: each sample belongs to the innermost one of its stack.
import { Origin, type Selection } from '../../data/contract.ts';
import type { Model } from '../../data/model.ts';
import { compileSelection, forEachSample } from '../selection.ts';

export interface UserFunction {
  label: number;
  weight: number;
}
export interface UserTime {
  /** the largest first */
  functions: UserFunction[];
  /** of all samples, the user's or not, without idle threads */
  whole: number;
  /** of those in some function of the user */
  user: number;
}

/** The label of the innermost function, of the user or of anyone, of each node of the model's tree; -1 = none. */
function innermost({ tree, functions }: Model, anyone: boolean): Int32Array {
  const found = new Int32Array(tree.count).fill(-1);
  for (let node = 1; node < tree.count; node++) {
    const label = tree.label[node]!;
    found[node] = anyone || functions.origin[label] === Origin.User ? label : found[tree.parent[node]!]!;
  }
  return found;
}

/** By samples of `event` in the selection. `anyone`: of all functions, by their own time. */
export function userTime(model: Model, event: number, selection: Selection = {}, anyone = false): UserTime {
  const { samples } = model.report;
  const own = innermost(model, anyone);
  const weights = new Map<number, number>();
  let whole = 0;
  let user = 0;
  forEachSample(model, { ...compileSelection(model, selection, true), event, hideIdle: true }, (row) => {
    const weight = samples.weight[row]!;
    whole += weight;
    const label = own[model.nodeOfStack[samples.stack[row]!]!]!;
    if (label < 0) return;
    user += weight;
    weights.set(label, (weights.get(label) ?? 0) + weight);
  });
  const functions = [...weights].map(([label, weight]) => ({ label, weight })).sort((a, b) => b.weight - a.weight || a.label - b.label);
  return { functions, whole, user };
}

/** The event in whose samples a function's time is whole: wall clock knows waiting, too. */
export const eventOfUserTime = (model: Model) => {
  const { events } = model.report;
  return events.find(({ name }) => name === 'wall') ?? events.find(({ name }) => name === 'cpu') ?? null;
};
