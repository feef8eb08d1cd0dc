// SPDX-License-Identifier: Apache-2.0
// The memory of each executor over time, in parts that add up, and where memory ran out.
import { taskStatuses, type Series } from '../data/contract.ts';
import type { Model } from '../data/model.ts';
import { align, isPython, type CurveData, type Line } from './time/curves.ts';

interface Points {
  time: ArrayLike<number>;
  value: ArrayLike<number>;
}

/** Value of a gauge at rising times: the last one before, 0 outside its points. */
function heldAt({ time, value }: Points, times: number[]): number[] {
  let at = 0;
  return times.map((now) => {
    while (at < time.length && time[at]! <= now) at++;
    return at === 0 || (at === time.length && time[at - 1]! < now) ? 0 : value[at - 1]!;
  });
}

const sumAt = (list: Points[], times: number[]) =>
  list
    .map((one) => heldAt(one, times))
    .reduce(
      (sum, values) => sum.map((value, i) => value + values[i]!),
      times.map(() => 0),
    );

/** Value of a gauge that has points only where it changes: the last one before, 0 before the first. */
function lastAt({ time, value }: Points, times: number[]): number[] {
  let at = 0;
  return times.map((now) => {
    while (at < time.length && time[at]! <= now) at++;
    return at === 0 ? 0 : value[at - 1]!;
  });
}

/** Parts of a JVM's memory outside of its heap, from the top down. */
const offHeap: [RegExp, string, number][] = [
  [/^jvm\.metaspace_used_bytes$/, 'metaspace', 8],
  [/^jvm\.buffers\.direct_used_bytes$/, 'direct buffers', 9],
  [/^spark\.off_heap_(execution|storage)_bytes$/, 'off-heap memory of Spark', 6],
];

/** By names of series, of which the first that the executor has counts. */
const limits: [RegExp[], string, number][] = [
  [[/^jvm\.heap_max_bytes$/], 'heap limit, for the lowest area', 4],
  [[/^cgroup\..*\.memory_limit_bytes$/, /^process\.memory_limit_bytes$/], 'container limit', 5],
];

/** Memory of an executor's processes, stacked, and lines for its limits; null without such series. */
function memoryOf(model: Model, executor: number): CurveData | null {
  const own = model.report.series.filter((series) => series.executor === executor && series.time.length > 0);
  const named = (name: string, python: boolean) =>
    own.filter((series) => series.name === name && isPython(model, series.process) === python);
  const heap = named('jvm.heap_used_bytes', false);
  const resident = named('process.rss_bytes', false).filter(({ process }) => isJvm(model, process));
  const pss = named('process.pss_bytes', true);
  const python = pss.length > 0 ? pss : named('process.rss_bytes', true);
  const measured = [...heap, ...resident, ...python];
  if (measured.length === 0) return null;
  const times = [...new Set(measured.flatMap(({ time }) => Array.from(time)))].sort((a, b) => a - b);
  const line = (label: string, value: number[], more: Partial<Line> = {}): Line => ({
    label,
    executor,
    time: times,
    value,
    python: false,
    ...more,
  });
  /** The last reading of a JVM's heap counts until that of its process: unknown is not 0. */
  const toItsEnd = (one: Series): Points => {
    const end = resident.find(({ process }) => process === one.process)?.time.at(-1) ?? 0;
    return end > one.time.at(-1)! ? { time: [...one.time, end], value: [...one.value, one.value.at(-1)!] } : one;
  };
  const used = sumAt(heap.map(toItsEnd), times);
  const lines: Line[] = [];
  const cache = own.filter(({ name }) => /^cgroup\..*\.memory_bytes$/.test(name));
  if (cache.length > 0) {
    const all = sumAt([...resident, ...python], times);
    lines.push(
      line(
        'page cache and others in the container',
        sumAt(cache, times).map((value, i) => Math.max(0, value - all[i]!)),
        { color: 3 },
      ),
    );
  }
  if (python.length > 0) {
    const label = pss.length > 0 ? 'Python, proportional (PSS)' : 'Python, resident';
    for (const [part, value, color] of ofPython(own, label, sumAt(python, times), times)) lines.push(line(part, value, { color }));
  }
  if (resident.length > 0)
    for (const [label, value, color] of beyondHeap(own, sumAt(resident, times), used, times)) lines.push(line(label, value, { color }));
  if (heap.length > 0) lines.push(line('heap used', used, { color: 0 }));
  for (const [names, label, color] of limits) {
    const found = names.map((name) => own.filter((series) => name.test(series.name))).find((list) => list.length > 0);
    if (found) lines.unshift(line(label, sumAt(found.map(toItsEnd), times), { apart: true, steps: true, color }));
  }
  const some = lines.filter((one) => one.value.some((value) => value !== 0));
  return {
    name: `memory.${executor}`,
    label: executor < 0 ? 'all processes' : model.executorName(executor),
    unit: 'bytes',
    lines: some,
    aligned: align(some),
    stacked: true,
  };
}

/** Label, values and color of the memory of Python, with the part that no series explains first. */
function ofPython(own: Series[], label: string, all: number[], times: number[]): [string, number[], number][] {
  const live = own.filter(({ name }) => name === 'python.live_bytes');
  if (live.length === 0) return [[label, all, 2]];
  const held = live.map((one) => lastAt(one, times))[0]!;
  const resident = (process: number) => own.filter((one) => one.process === process && one.name === 'process.rss_bytes');
  // The counter has points only where it changes; the memory of a process that ended is free.
  const arrow = own
    .filter(({ name }) => name === 'process.arrow_bytes')
    .map((one) => {
      const runs = sumAt(resident(one.process), times);
      return lastAt(one, times).map((value, i) => (runs[i]! > 0 ? value : 0));
    })
    .reduce(
      (sum, values) => sum.map((value, i) => value + values[i]!),
      times.map(() => 0),
    );
  const rest = all.map((value, i) => Math.max(0, value - held[i]! - arrow[i]!));
  return [
    ['Python, other native', rest, 2],
    ['Python, Arrow', arrow, 10],
    ['Python, objects and arrays', held, 11],
  ];
}

/** Label, values and color of what is resident beyond the used heap, with the part that no series explains first. */
function beyondHeap(own: Series[], resident: number[], used: number[], times: number[]): [string, number[], number][] {
  const sumOf = (name: RegExp) =>
    own
      .filter((series) => name.test(series.name))
      .map((one) => lastAt(one, times))
      .reduce(
        (sum, values) => sum.map((value, i) => value + values[i]!),
        times.map(() => 0),
      );
  const parts = offHeap.map(([name, label, color]): [string, number[], number] => [label, sumOf(name), color]);
  const [, direct, spark] = parts.map(([, values]) => values) as [number[], number[], number[]];
  // Native memory in use includes the memory of Spark and of direct buffers.
  const native = sumOf(/^jvm\.native_used_bytes$/).map((value, i) => Math.max(0, value - direct[i]! - spark[i]!));
  const known = [...parts, ['other native memory in use', native, 7] as [string, number[], number]].filter(([, values]) =>
    values.some((value) => value > 0),
  );
  const rest = resident.map((value, i) => Math.max(0, value - known.reduce((sum, [, values]) => sum + values[i]!, used[i]!)));
  return [[known.length > 0 ? 'JVM, untracked' : 'JVM beyond the used heap', rest, 1], ...known];
}

const isJvm = (model: Model, row: number) => {
  const process = model.report.processes[row];
  return !process || /jvm/i.test(process.role);
};

/** Limits are not used. */
const peakOf = ({ aligned: [, ...columns], lines }: CurveData) =>
  columns.reduce((most, column, i) => (lines[i]!.apart ? most : column.reduce<number>((a, b) => Math.max(a, b ?? 0), most)), 0);

/** A curve for each executor that has series of memory, the largest first; records of other profilers may have none. */
export function memoryCurves(model: Model, executors: Uint8Array | null): CurveData[] {
  return [-1, ...model.report.executors.keys()]
    .flatMap((row) => (executors && !executors[row] ? [] : (memoryOf(model, row) ?? [])))
    .sort((a, b) => peakOf(b) - peakOf(a));
}

/** More executors are one line. */
const mostLines = 8;

/** Bytes that tasks spilled to disk so far, counted when they end; null without spill. */
export function spillCurve(model: Model, executors: Uint8Array | null): CurveData | null {
  const { tasks } = model.report;
  const spilled = tasks.diskSpilledBytes;
  if (!spilled) return null;
  const rows = Array.from(tasks.taskId, (_, row) => row)
    .filter((row) => spilled[row]! > 0 && (!executors || executors[tasks.executor[row]!]))
    .sort((a, b) => tasks.end[a]! - tasks.end[b]!);
  if (rows.length === 0) return null;
  const names = [...new Set(rows.map((row) => tasks.executor[row]!))].sort((a, b) => a - b);
  const groups =
    names.length > mostLines
      ? [{ label: 'all executors', executor: -1, own: rows }]
      : names.map((executor) => ({
          label: model.executorName(executor),
          executor,
          own: rows.filter((row) => tasks.executor[row] === executor),
        }));
  const lines = groups.map(({ label, executor, own }): Line => {
    let sum = 0;
    return {
      label,
      executor,
      python: false,
      steps: true,
      time: [0, ...own.map((row) => tasks.end[row]!), model.duration],
      value: [0, ...own.map((row) => (sum += spilled[row]!)), sum],
    };
  });
  return { name: 'memory.spill', label: 'Spilled to disk', unit: 'bytes', lines, aligned: align(lines) };
}

export interface MemoryLoss {
  time: number;
  executor: number;
  text: string;
}

const outOfMemory =
  /out of memory|outofmemory|memory limit|exceeding memory|physical memory|\boom(killed|-killer)?\b(?!\.)|exit (code|status) 137|code: 137/i;

/** The number of the status of a failed task. */
const failedTask = taskStatuses.indexOf('failed');

/** The line of a message that is about memory, without what Spark put before it; undefined if none is. */
function lineOfMemory(text: string): string | undefined {
  const line = text.split('\n').find((one) => outOfMemory.test(one));
  return line?.replace(/^.*\): (?=\S)/, '').trim();
}

/** Where memory ran out: executors that were lost for it, stages that failed, errors in logs and findings, ms since the application's start. */
export function memoryLosses(model: Model): MemoryLoss[] {
  const { executors, findings, stages, tasks, logs } = model.report;
  const lost = executors.flatMap(({ removeTime, removeReason = '' }, executor) =>
    removeTime && outOfMemory.test(removeReason) ? [{ time: model.relative(removeTime), executor, text: removeReason }] : [],
  );
  const failed = stages.flatMap(({ failureReason, completionTime }, row) => {
    const text = lineOfMemory(failureReason);
    if (!text || !completionTime) return [];
    const task = model.tasksOfStage[row]!.filter((own) => tasks.status[own] === failedTask).sort(
      (a, b) => tasks.end[b]! - tasks.end[a]!,
    )[0];
    return [
      {
        time: task === undefined ? model.relative(completionTime) : tasks.end[task]!,
        executor: task === undefined ? -1 : tasks.executor[task]!,
        text,
      },
    ];
  });
  const logged = (logs?.errors ?? []).flatMap(({ first, message, rootCause }) => {
    const text = lineOfMemory(rootCause ?? '') ?? lineOfMemory(message);
    return first && text ? [{ time: model.relative(first), executor: -1, text }] : [];
  });
  const reported = findings.flatMap(({ rule, evidence, title }) => {
    const time = rule === 'oom' ? tasks.end[tasks.taskId.indexOf(Number(evidence?.task))] : undefined;
    return time === undefined || failed.some((one) => one.time === time) ? [] : [{ time, executor: -1, text: title }];
  });
  return [...lost, ...failed, ...logged, ...reported].sort((a, b) => a.time - b.time);
}

/** Names of Spark's executor metrics that some executor has. */
export function peakNames(model: Model): string[] {
  const names = new Set<string>();
  for (const { peakMemoryMetrics = {} } of model.report.executors)
    for (const [name, value] of Object.entries(peakMemoryMetrics)) if (value > 0 && /Memory$/.test(name)) names.add(name);
  return [...names].sort();
}

export function hasMemory({ series, executors, tasks }: Model['report']): boolean {
  return (
    series.some(({ name, time }) => time.length > 0 && /^(jvm\.heap_used_bytes|process\.(rss|pss)_bytes)$/.test(name)) ||
    executors.some(({ peakMemoryMetrics = {} }) => Object.values(peakMemoryMetrics).some((value) => value > 0)) ||
    !!tasks.diskSpilledBytes?.length
  );
}
