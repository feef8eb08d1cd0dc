// SPDX-License-Identifier: Apache-2.0
// A recording small enough to add up by hand. Stacks are written "a;b;c"; a frame may name a line: "b@7".
import type { Report, Samples, WallTime } from '../src/data/contract.ts';
import { Model } from '../src/data/model.ts';
import { decodeBytes, emptyExecutor } from '../src/data/decode.ts';
import { encodeBytes } from './encode.ts';
import { FrameBook } from './make_stacks.ts';

export interface SmallSample {
  stack: string;
  weight: number;
  task?: number;
  executor?: number;
  thread?: number;
  bucket?: number;
  event?: number;
  category?: number;
  state?: number;
}

/** Two stages in two jobs: tasks 0 to 3 are of stage 0, tasks 4 to 5 of stage 1; executor 1 ran the odd ones. */
export function smallModel(samples: SmallSample[]): Model {
  const book = new FrameBook();
  const stacks = samples.map(({ stack }) =>
    book.stack(
      stack.split(';').map((frame) => {
        const [name, line] = frame.split('@');
        return `${name}:1:1${line ? `@${line}` : ''}`;
      }),
    ),
  );
  const of = (pick: (sample: SmallSample) => number) => samples.map(pick);
  const columns: Samples = {
    bucket: Uint32Array.from(of((s) => s.bucket ?? 0)),
    event: Uint8Array.from(of((s) => s.event ?? 1)),
    stack: Uint32Array.from(stacks),
    task: Int32Array.from(of((s) => s.task ?? -1)),
    executor: Uint16Array.from(of((s) => s.executor ?? 0)),
    thread: Uint16Array.from(of((s) => s.thread ?? 0)),
    category: Uint8Array.from(of((s) => s.category ?? (s.task === undefined ? 0 : 1))),
    state: Uint8Array.from(of((s) => s.state ?? 0)),
    weight: Float64Array.from(of((s) => s.weight)),
    count: new Uint32Array(samples.length).fill(1),
  };
  const stage = (id: number, job: number, sqlExecutionId: number | undefined, numTasks: number) => ({
    stageId: id,
    attemptId: 0,
    name: '',
    line: `stage ${id}`,
    work: '',
    details: '',
    status: 'COMPLETE',
    failureReason: '',
    submissionTime: 1000,
    completionTime: 9000,
    jobId: job,
    sqlExecutionId,
    numTasks,
    numFailedTasks: 0,
    numKilledTasks: 0,
    totals: {},
    quantiles: {},
  });
  const job = { name: '', line: '', work: '', description: '', jobGroup: '', jobTags: [], failureReason: '', status: 'SUCCEEDED' };
  const report: Partial<Report> = {
    version: 1,
    application: { id: 'app', name: 'small', sparkVersion: '4.1.1', startTime: 1000, endTime: 9000, complete: true, outcome: 'finished' },
    strings: book.strings,
    frames: book.frames(),
    stacks: book.stacks(),
    samples: columns,
    bucketMs: 1000,
    threads: [
      { tid: 100, name: 'worker-0', executor: 0, kind: 'task' },
      { tid: 200, name: 'worker-1', executor: 1, kind: 'task' },
    ],
    events: [
      { id: 1, name: 'cpu', unit: 'ns', label: 'CPU' },
      { id: 2, name: 'wall', unit: 'ns', label: 'Wall clock' },
    ],
    stages: [stage(0, 0, undefined, 4), stage(1, 1, 5, 2)],
    jobs: [
      { ...job, jobId: 0, submissionTime: 1000, completionTime: 5000, stageIds: [0] },
      { ...job, jobId: 1, submissionTime: 5000, completionTime: 9000, stageIds: [1], sqlExecutionId: 5, jobTags: ['etl', 'user:me'] },
    ],
    tasks: {
      taskId: Int32Array.of(10, 11, 12, 13, 14, 15),
      stage: Uint32Array.of(0, 0, 0, 0, 1, 1),
      index: Uint32Array.of(0, 1, 2, 3, 0, 1),
      attempt: new Uint16Array(6),
      executor: Uint16Array.of(0, 1, 0, 1, 0, 1),
      begin: Float64Array.of(0, 0, 1000, 1000, 5000, 5000),
      end: Float64Array.of(1000, 900, 2100, 4000, 6000, 6500),
      status: new Uint8Array(6).fill(1),
      speculative: new Uint8Array(6),
      locality: new Uint8Array(6),
    },
    executors: [
      { ...emptyExecutor, id: '1', host: 'a', totalCores: 1, addTime: 1000 },
      { ...emptyExecutor, id: '2', host: 'b', totalCores: 1, addTime: 1000 },
    ],
  };
  return new Model(decodeBytes(encodeBytes(report).buffer as ArrayBuffer));
}

/** The wall time in order: begin in ms, phase, row of the stage. */
export function wallOf(rows: [begin: number, phase: string, stage?: number][]): WallTime {
  const phases = [...new Set(['stage', ...rows.map(([, phase]) => phase)])];
  return {
    begin: Float64Array.from(rows, ([begin]) => begin),
    phase: Uint8Array.from(rows, ([, phase]) => phases.indexOf(phase)),
    stage: Int32Array.from(rows, ([, , stage = -1]) => stage),
    line: new Uint32Array(rows.length),
    phases,
    lines: [''],
  };
}

/** A weighted tree as "a;b" -> self weight. */
export function asText(
  tree: { count: number; parent: Uint32Array; label: Uint32Array },
  self: Float64Array,
  nameOf: (label: number) => string,
): Record<string, number> {
  const paths: string[] = [''];
  const result: Record<string, number> = {};
  for (let node = 1; node < tree.count; node++) {
    const above = paths[tree.parent[node]!]!;
    paths[node] = above ? `${above};${nameOf(tree.label[node]!)}` : nameOf(tree.label[node]!);
  }
  for (let node = 0; node < tree.count; node++) if (self[node]! !== 0) result[paths[node]!] = self[node]!;
  return result;
}
