// SPDX-License-Identifier: Apache-2.0
// From weights to what the flame view shows: one layout, or two for callers and callees.
import { totalsOf, type CallTree } from '../data/call_tree.ts';
import { layoutTree, type FlameLayout } from '../analysis/flame/flame_layout.ts';
import { sumByLabel, type LabelSums } from '../analysis/flame/function_table.ts';
import type { SampleFilter, Weights } from '../analysis/selection.ts';
import { buildTimeOrder, type TimeOrder } from '../analysis/time/time_order.ts';
import {
  applyTransforms,
  reverse,
  sandwich,
  transformNodes,
  treeByThread,
  type Transform,
  type WeightedTree,
} from '../analysis/flame/transforms.ts';
import { arrange, threadGroups } from '../analysis/thread_groups.ts';
import { Kind, Origin } from '../data/contract.ts';
import type { Model } from '../data/model.ts';
import type { View } from './view.ts';

/** One picture. With two sides the widths are the mean of both, so that nothing that only one side has is lost. */
export interface Picture {
  layout: FlameLayout;
  tree: CallTree;
  /** columns over tree nodes, one for each side */
  self: Float64Array[];
  total: Float64Array[];
}

export interface Flame {
  main: Picture;
  /** only around one function */
  callers: Picture | null;
  /** weight of each side before transforms */
  sums: number[];
  /** samples of each side */
  counts: number[];
  /** the reversed tree does not follow callers too narrow to see */
  cut: boolean;
  /** the tree as called, for the table of functions */
  forward: WeightedTree;
  /** of a picture in order of time */
  timeOrder?: Pick<TimeOrder, 'stepMs'>;
}

/** The root's label, which belongs to no function. */
export const rootLabel = 0xffffffff;

function widths(sides: Float64Array[], sums: number[], absolute: boolean): Float64Array {
  if (sides.length === 1) return sides[0]!;
  const scale = sums.map((sum) => (absolute ? 1 : 1 / (sum || 1)) / 2);
  const [a, b] = sides as [Float64Array, Float64Array];
  return a.map((weight, node) => weight * scale[0]! + b[node]! * scale[1]!);
}

function picture(
  { tree, sides }: WeightedTree,
  sums: number[],
  absolute: boolean,
  label: number,
  isLast?: (label: number) => boolean,
): Picture {
  const layout = layoutTree(tree, widths(sides, sums, absolute), isLast);
  layout.label[0] = label;
  return { layout, tree, self: sides, total: sides.length === 1 ? [layout.nodeTotal] : sides.map((side) => totalsOf(tree, side)) };
}

const firstGroupLabel = ({ functions, report }: Model) => functions.count + report.threads.length;

/** Groups of threads that are a strip until one zooms into it: all but the driver, which runs the user's program. */
export function isStrip(model: Model): (label: number) => boolean {
  const first = firstGroupLabel(model);
  return (label) => label > first && label < first + threadGroups.length;
}

/** A run of frames that is one row. */
export const isRun = (model: Model, label: number) => label !== rootLabel && label >= firstGroupLabel(model) + threadGroups.length;

/** Generated code is named by the operator that it computes. */
const generated = /GeneratedClass/;

/** Frames of Spark, and of the JDK and Scala, that are no answer by themselves. */
const plumbingOf = ({ functions: { name, kind, origin } }: Model) =>
  origin.map((own, label) =>
    (own === Origin.Spark || own === Origin.Jdk) && kind[label]! <= Kind.Inlined && !generated.test(name[label]!) ? 1 : 0,
  );

/** Labels (functions) that have this name. */
export function labelsNamed(model: Model, name: string): Set<number> {
  const labels = new Set<number>();
  model.functions.name.forEach((known, label) => {
    if (known === name) labels.add(label);
  });
  return labels;
}

type FlameOptions = Pick<View, 'reversed' | 'byThread' | 'sandwich' | 'transforms' | 'absolute' | 'pyspark' | 'timeOrder' | 'plumbing'>;

/** Larger trees are drawn as they are: to rebuild them would take longer than to draw them. */
const mostArranged = 250_000;

export function buildFlame(model: Model, filters: SampleFilter[], weights: Weights[], options: FlameOptions): Flame {
  const sums = weights.map((side) => side.total);
  const all: WeightedTree = options.byThread ? treeByThread(model, filters) : { tree: model.tree, sides: weights.map((side) => side.self) };
  const { pyspark } = model.functions;
  // no function is called "": it stands for PySpark's own ones
  const transforms: Transform[] =
    options.pyspark || pyspark.size === 0 ? options.transforms : [{ kind: 'hide', name: '' }, ...options.transforms];
  const labels = (name: string) => (name === '' ? pyspark : labelsNamed(model, name));
  const forward = applyTransforms(all, transforms, labels);
  const common = { callers: null, sums, counts: weights.map((side) => side.count), forward, cut: false };
  if (options.timeOrder) {
    const { tree, nodes } = transformNodes(model.tree, transforms, labels);
    const { layout, tree: rows, self, total, stepMs } = buildTimeOrder(model, filters[0]!, tree, nodes, rootLabel);
    return { ...common, main: { layout, tree: rows, self: [self], total: [total] }, timeOrder: { stepMs } };
  }
  const around = options.sandwich ? labelsNamed(model, options.sandwich) : new Set<number>();
  if (around.size > 0) {
    const both = sandwich(forward, around);
    const label = [...around][0]!;
    return {
      ...common,
      main: picture(both.callees, sums, options.absolute, label),
      callers: picture(both.callers, sums, options.absolute, label),
    };
  }
  if (!options.reversed && !options.byThread && model.report.tasks.taskId.length > 0 && model.tree.count <= mostArranged) {
    const { tree, nodes } = transformNodes(model.tree, transforms, labels);
    const arranged = arrange(model, filters, tree, nodes, {
      plumbing: options.plumbing ? null : plumbingOf(model),
      labelOfGroup: (name) => firstGroupLabel(model) + name,
      labelOfRun: (length) => firstGroupLabel(model) + threadGroups.length + length,
    });
    return { ...common, main: picture(arranged, sums, options.absolute, rootLabel, isStrip(model)) };
  }
  const shown = options.reversed ? reverse(forward) : { ...forward, cut: false };
  return { ...common, main: picture(shown, sums, options.absolute, rootLabel), cut: shown.cut };
}

/** Self and total of each label, one for each side. */
export function functionSums(model: Model, flame: Flame): LabelSums[] {
  const labels = model.functions.count + model.report.threads.length;
  const { tree, sides } = flame.forward;
  const layout = flame.main.tree === tree ? flame.main.layout : layoutTree(tree, widths(sides, [1, 1], true));
  return sides.map((side) => sumByLabel(layout, labels, side, totalsOf(tree, side)));
}

/** Change of one row from the second side (baseline) to the first, from -1 (gone) to 1 (new). */
export function changeOf(a: number, b: number, { sums }: Pick<Flame, 'sums'>, absolute: boolean): number {
  const [first, second] = sizes(a, b, sums, absolute);
  return first + second === 0 ? 0 : (first - second) / (first + second);
}

const sizes = (a: number, b: number, sums: number[], absolute: boolean) =>
  [a, b].map((value, side) => (absolute ? value : value / (sums[side] || 1))) as [number, number];

/** standard deviations */
const farApart = 3;

/** Whether the difference of a row may be chance: a number of samples varies by its root from one run to the next. */
export function isNoise(a: number, b: number, { sums, counts }: Pick<Flame, 'sums' | 'counts'>, absolute: boolean): boolean {
  const values = sizes(a, b, sums, absolute);
  const variance = values.reduce((sum, value, side) => sum + (value * (absolute ? sums[side]! : 1)) / (counts[side] || 1), 0);
  return Math.abs(values[0] - values[1]) < farApart * Math.sqrt(variance);
}
