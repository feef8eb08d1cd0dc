// SPDX-License-Identifier: Apache-2.0
// Python workers as processes: when they started, how their memory grew; and the functions in which they spend their CPU time.
import { Kind } from '../data/contract.ts';
import type { Model } from '../data/model.ts';
import type { CurveData, Line } from './time/curves.ts';
import { align } from './time/curves.ts';
import { compileSelection, weigh } from './selection.ts';

export interface PythonWorker {
  pid: number;
  executor: number;
  /** ms since the application's start, of the first and the last measurement */
  first: number;
  last: number;
  /** resident memory, bytes */
  firstBytes: number;
  peakBytes: number;
}

const isWorker = ({ report }: Model, process: number) => /^python.worker/i.test(report.processes[process]?.role ?? '');

const memoryOf = (model: Model) =>
  model.report.series.filter(({ name, process, time }) => name === 'process.rss_bytes' && time.length > 0 && isWorker(model, process));

/** Workers whose memory was measured. */
export function pythonWorkers(model: Model): PythonWorker[] {
  return memoryOf(model).map(({ process, executor, time, value }) => ({
    pid: model.report.processes[process]!.pid,
    executor,
    first: time[0]!,
    last: time.at(-1)!,
    firstBytes: value[0]!,
    peakBytes: value.reduce((most, one) => Math.max(most, one), 0),
  }));
}

/** Memory of the workers that grew most; null without any. */
export function workerCurve(model: Model, most: number): CurveData | null {
  const grown = ({ value }: { value: Float64Array }) => value.reduce((top, one) => Math.max(top, one), 0) - value[0]!;
  const lines = memoryOf(model)
    .sort((a, b) => grown(b) - grown(a))
    .slice(0, most)
    .map(
      ({ process, executor, time, value }): Line => ({
        label: `${model.report.processes[process]!.pid} on ${model.executorName(executor)}`,
        executor,
        python: false,
        time: [...time],
        value: [...value],
      }),
    );
  return lines.length === 0 ? null : { name: 'python.rss', label: 'Memory of workers', unit: 'bytes', lines, aligned: align(lines) };
}

export interface PythonFunction {
  label: number;
  /** CPU time in the function itself and in native code that it calls, ns */
  self: number;
}

/** The largest first. */
export function pythonFunctions(model: Model): PythonFunction[] {
  const { self } = weigh(model, compileSelection(model, { event: 'cpu' }, true));
  const sums = new Map<number, number>();
  const innermost = new Int32Array(model.tree.count).fill(-1);
  for (let node = 1; node < model.tree.count; node++) {
    const label = model.tree.label[node]!;
    const own = (innermost[node] = model.functions.kind[label] === Kind.Python ? label : innermost[model.tree.parent[node]!]!);
    if (own >= 0 && self[node]! > 0) sums.set(own, (sums.get(own) ?? 0) + self[node]!);
  }
  return Array.from(sums, ([label, own]) => ({ label, self: own })).sort((a, b) => b.self - a.self || a.label - b.label);
}
