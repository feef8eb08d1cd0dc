// SPDX-License-Identifier: Apache-2.0
// Curves of the pictures over time: tasks and cores, memory against its limit, the heap and its collections.
import { runningTasks } from '../../analysis/time/concurrency.ts';
import type { CurveData } from '../../analysis/time/curves.ts';
import { wallSpans } from '../../analysis/time/wall_time.ts';
import { onTopOfEachOther } from '../../analysis/heap.ts';
import { memoryCurves, memoryLosses } from '../../analysis/memory.ts';
import { executorMask } from '../../analysis/selection.ts';
import { phaseColor } from '../../charts/phase_colors.ts';
import { barColor } from '../../charts/timeline/palette.ts';
import type { Finding, Series } from '../../data/contract.ts';
import type { Model } from '../../data/model.ts';
import { amount, bytes, count } from '../../state/format.ts';
import { plural } from '../text.ts';
import type { Area, TimeStory } from './time_picture.tsx';

const panelHeight = 90;

/** When the evidence of a finding was, or the stages that it is about. */
function spansOf(model: Model, { evidence, stages = [] }: Finding): { from: number; to: number }[] {
  if (evidence?.from !== undefined || evidence?.to !== undefined) return [{ from: evidence.from ?? 0, to: evidence.to ?? model.duration }];
  const wanted = new Set(evidence?.stage === undefined ? stages : [evidence.stage]);
  return model.report.stages.flatMap(({ stageId, submissionTime, completionTime }) => {
    const from = model.since(submissionTime);
    const to = model.since(completionTime);
    return wanted.has(stageId) && from !== null && to !== null ? [{ from, to }] : [];
  });
}

export function coresStory(model: Model, finding: Finding, dark: boolean, ofDriver: boolean): TimeStory | null {
  const { time, running } = runningTasks(model, null);
  const busiest = running.reduce((a, b) => Math.max(a, b), 0);
  if (busiest === 0) return null;
  const { executors } = model.report;
  const workers = executors.filter(({ id }) => id !== 'driver');
  const cores = (workers.length > 0 ? workers : executors).reduce((sum, { totalCores }) => sum + totalCores, 0);
  // in a query, Spark plans or a stream's sink works
  const phases = finding.rule === 'driver-gap' ? ['program'] : ['planning', 'sink'];
  const spans = ofDriver
    ? wallSpans(model).flatMap((span) => (phases.includes(span.phase) ? [{ from: span.begin, to: span.end }] : []))
    : spansOf(model, finding);
  return {
    panels: [
      {
        label: `Running tasks, up to ${count(busiest)}`,
        height: panelHeight,
        areas: [{ time, value: running, color: barColor(0, dark) }],
        most: Math.max(busiest, cores),
        limit: cores > 0 ? { value: cores, label: plural(cores, 'core') } : undefined,
      },
    ],
    spans,
    moments: [],
    caption: spans.length === 0 ? '' : `shaded: ${ofDriver ? 'the driver works or waits, and no job runs' : 'the time of this finding'}`,
  };
}

const peakOf = (values: ArrayLike<number | null>) => Array.from(values).reduce<number>((a, b) => Math.max(a, b ?? 0), 0);

/**
 * The memory that grew against its limit: that of Python workers, or all processes of a container that is nearly full, or the heap.
 * Of several executors, the one that holds most of it.
 */
export function memoryStory(model: Model, { evidence, rule, failure }: Finding, dark: boolean): TimeStory | null {
  const isOfWorkers = rule === 'worker-growth' || rule === 'python-memory';
  const pick = (curve: CurveData) => {
    const limitOf = (name: string) =>
      Math.max(0, ...curve.lines.filter(({ apart, label }) => apart && label.startsWith(name)).map(({ value }) => peakOf(value)));
    const [time, ...columns] = onTopOfEachOther(curve);
    const all = columns.filter((_, i) => !curve.lines[i]!.apart);
    const heap = curve.lines.find(({ label }) => label === 'heap used');
    const [container, heapLimit] = [limitOf('container'), limitOf('heap')];
    const isFull = container > 0 && (!heap || Math.max(...all.map(peakOf)) / container >= peakOf(heap.value) / Math.max(1, heapLimit));
    const wanted = isOfWorkers ? /^Python/ : isFull || !heap ? /./ : /^heap used/;
    const areas: Area[] = curve.lines.flatMap(({ apart, label, color = 0 }, i) => {
      const value = wanted.source === '.' ? columns[i]! : curve.aligned[i + 1]!;
      return apart || !wanted.test(label) || peakOf(value) === 0 ? [] : [{ time, value: held(value), color: barColor(color, dark), label }];
    });
    const limit = isOfWorkers || isFull ? { label: 'container limit', value: container } : { label: 'heap limit', value: heapLimit };
    return { curve, areas, limit, peak: Math.max(0, ...areas.map(({ value }) => peakOf(value))) };
  };
  const [most] = memoryCurves(model, executorMask(model, { executor: evidence?.executor }))
    .map(pick)
    .sort((a, b) => b.peak - a.peak);
  if (!most || most.peak === 0) return null;
  const { curve, areas, limit, peak } = most;
  const reported = failure?.chain[0]?.at;
  const losses = reported ? [{ time: model.relative(reported) }] : memoryLosses(model).slice(0, 1);
  const what = isOfWorkers ? 'Python' : areas.length === 1 ? 'Heap' : 'Memory';
  const ofHeap = what === 'Heap' ? model.report.executors[curve.lines[0]!.executor]?.peakMemoryMetrics?.JVMHeapMemory : 0;
  return {
    panels: [
      {
        // Spark and the JVM also saw what was in the heap between two readings
        label: `${what} of ${curve.label}, up to ${bytes(Math.max(peak, ofHeap ?? 0))}`,
        height: panelHeight + 30,
        areas,
        most: Math.max(peak, limit.value),
        limit: limit.value > 0 ? { value: limit.value, label: `${limit.label} ${bytes(limit.value)}` } : undefined,
      },
    ],
    spans: [],
    moments: losses.map(({ time: at }) => ({ at, label: 'out of memory' })),
    caption: '',
  };
}

/** Between the moments of other lines, the last value. */
function held(values: (number | null)[]): (number | null)[] {
  let last: number | null = null;
  return values.map((value) => (last = value ?? last));
}

/** The used heap of the JVM that collects most, and below it the share of the time that its collections take. */
export function collectionStory(model: Model, finding: Finding, dark: boolean): TimeStory | null {
  const wanted = executorMask(model, { executor: finding.evidence?.executor });
  const named = (name: string) => model.report.series.filter((one) => one.name === name && (!wanted || wanted[one.executor]));
  const meanOf = ({ value }: Series) => value.reduce((a, b) => a + b, 0);
  const [pauses] = named('jvm.gc_time_ns').sort((a, b) => meanOf(b) - meanOf(a));
  const heap =
    pauses && named('jvm.heap_used_bytes').find(({ executor, process }) => executor === pauses.executor && process === pauses.process);
  if (!heap) return null;
  const limit = named('jvm.heap_max_bytes').find(({ executor, process }) => executor === heap.executor && process === heap.process);
  const most = limit ? peakOf(limit.value) : 0;
  return {
    panels: [
      {
        label: `Heap of ${model.executorName(heap.executor)}, up to ${bytes(peakOf(heap.value))}`,
        height: panelHeight,
        areas: [{ ...heap, color: barColor(0, dark) }],
        most: Math.max(peakOf(heap.value), most, 1),
        limit: most > 0 ? { value: most, label: `limit ${bytes(most)}` } : undefined,
      },
      {
        label: `Garbage collection, up to ${amount(peakOf(pauses.value), pauses.unit === 'cores' ? 'share' : pauses.unit)} of the time`,
        height: 44,
        areas: [{ ...pauses, color: phaseColor('gc', dark) }],
        most: Math.max(peakOf(pauses.value), 1e-9),
      },
    ],
    spans: spansOf(model, finding),
    moments: [],
    caption: 'shaded: the time of this finding',
  };
}
