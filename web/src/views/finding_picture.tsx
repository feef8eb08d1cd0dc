// SPDX-License-Identifier: Apache-2.0
// A small picture beside a finding: memory over time, running tasks over time, the rows of a join, or the tasks of its stage, as dots or,
// if they are few, by their phases.
import { useMemo } from 'preact/hooks';
import { runningTasks } from '../analysis/concurrency.ts';
import { onTopOfEachOther } from '../analysis/heap.ts';
import { memoryCurves } from '../analysis/memory.ts';
import { highestPerPixel } from '../analysis/pixels.ts';
import { layOutPlan } from '../analysis/plan_graph.ts';
import { executorMask, stageRowOf } from '../analysis/selection.ts';
import { phaseLabels, phasesOfStages } from '../analysis/stage_phases.ts';
import { barColor } from '../charts/timeline/palette.ts';
import type { Finding, PlanNode } from '../data/contract.ts';
import type { Model } from '../data/model.ts';
import { amount, count, share } from '../state/format.ts';
import { useStore } from '../state/store.ts';
import { PhaseBar } from './time/phase_bar.tsx';
import { plural } from './text.ts';
import { pictureHeight as height, pictureWidth as width, TaskStrip } from './stages/task_strip.tsx';

const ofMemory = new Set([
  'gc',
  'oom',
  'large-result',
  'worker-growth',
  'evicted-cache',
  'unused-memory',
  'low-memory',
  'lost-executors',
  'lost-driver',
]);
const ofCores = new Set(['idle-cores', 'idle-executors', 'driver-gap', 'few-partitions']);

export function FindingPicture({ finding }: { finding: Finding }) {
  const store = useStore();
  const { model } = store;
  const picture = useMemo(() => pictureOf(model, finding, store.dark.value), [model, finding, store.dark.value]);
  if (!picture) {
    const selection = finding.evidence?.stage === undefined ? { stage: finding.stages?.[0] } : finding.evidence;
    const row = stageRowOf(model, selection);
    return row < 0 ? null : <TaskStrip selection={selection} otherwise={<PhasePicture row={row} />} />;
  }
  const { areas, caption } = picture;
  return (
    <figure class="picture">
      <svg width={width} height={height} role="img" aria-label={caption}>
        {areas.map(({ path, color }, i) => (
          <path key={i} d={path} fill={color} />
        ))}
        <line x1={0} x2={width} y1={height - 0.5} y2={height - 0.5} />
      </svg>
      <figcaption class="quiet">{caption}</figcaption>
    </figure>
  );
}

/** The phases of a stage's tasks, and in words the one with most time. */
function PhasePicture({ row }: { row: number }) {
  const { model } = useStore();
  const phases = phasesOfStages(model)[row]!;
  if (phases.whole === 0) return null;
  const most = phases.parts.reduce((a, b) => (b.ns > a.ns ? b : a));
  return (
    <figure class="picture" style={{ width }}>
      <PhaseBar phases={phases} part={1} />
      <figcaption class="quiet">
        Tasks of stage {model.report.stages[row]!.stageId}: {phaseLabels[most.phase]} {share(most.ns / phases.whole)}
      </figcaption>
    </figure>
  );
}

interface Picture {
  areas: { path: string; color: string }[];
  caption: string;
}

function pictureOf(model: Model, finding: Finding, dark: boolean): Picture | null {
  const { rule = '', evidence } = finding;
  if (ofMemory.has(rule)) return memoryOf(model, evidence?.executor, dark);
  if (ofCores.has(rule)) return tasksOf(model, dark);
  if (rule === 'exploding-join') return rowsOf(model, finding, dark);
  return null;
}

/** The area below values that hold until the next one. */
function areaBelow(time: ArrayLike<number>, value: ArrayLike<number | null>, whole: number, most: number): string {
  const tops = highestPerPixel(time, value, 0, whole, width);
  const steps = Array.from(tops, (top, x) => `V${(height - (top / most) * (height - 4)).toFixed(1)}H${x + 1}`);
  return `M0,${height}${steps.join('')}V${height}Z`;
}

function memoryOf(model: Model, executor: string | undefined, dark: boolean): Picture | null {
  const [curve] = memoryCurves(model, executorMask(model, { executor }));
  if (!curve) return null;
  const [time, ...columns] = onTopOfEachOther(curve);
  const stacked = curve.lines.flatMap(({ apart, color = 0 }, i) => (apart ? [] : [{ color, column: columns[i]! }]));
  const most = Math.max(1, ...stacked.map(({ column }) => column.reduce<number>((a, b) => Math.max(a, b ?? 0), 0)));
  return {
    areas: stacked.map(({ color, column }) => ({ path: areaBelow(time, column, model.duration, most), color: barColor(color, dark) })),
    caption: `Memory of ${curve.label} over time, up to ${amount(most, 'bytes')}`,
  };
}

function tasksOf(model: Model, dark: boolean): Picture | null {
  const { time, running } = runningTasks(model, null);
  const most = running.reduce((a, b) => Math.max(a, b), 0);
  if (most === 0) return null;
  return {
    areas: [{ path: areaBelow(time, running, model.duration, most), color: barColor(0, dark) }],
    caption: `Running tasks over time, up to ${count(most)}`,
  };
}

/** The rows that the operator of the finding reads and returns: of those with its name, the one that adds most. */
function rowsOf(model: Model, { what, evidence }: Finding, dark: boolean): Picture | null {
  const plan = model.sqlById.get(evidence?.sql ?? -1)?.plan;
  const added = ({ rowsIn = 0, rowsOut = 0 }: PlanNode) => rowsOut - rowsIn;
  const [worst] = (plan ? layOutPlan(plan).nodes : [])
    .map(({ node }) => node)
    .filter(({ name }) => what.startsWith(`${name} `))
    .sort((a, b) => added(b) - added(a));
  if (!worst?.rowsIn || !worst.rowsOut) return null;
  const { name, rowsIn, rowsOut } = worst;
  const bar = (rows: number, top: number) => `M0,${top}H${Math.max(1, (rows / Math.max(rowsIn, rowsOut)) * width).toFixed(1)}v28H0Z`;
  return {
    areas: [
      { path: bar(rowsIn, 12), color: barColor(0, dark) },
      { path: bar(rowsOut, 46), color: barColor(1, dark) },
    ],
    caption: `${name} reads ${plural(rowsIn, 'row')} and returns ${count(rowsOut)}`,
  };
}
