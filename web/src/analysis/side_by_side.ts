// SPDX-License-Identifier: Apache-2.0
// Recordings of several runs as one profile, so that they can be compared like two selections of one recording.
import { ThreadState, type EventType, type Report, type Samples } from '../data/contract.ts';
import { TreeBuilder } from '../data/call_tree.ts';
import { emptyExecutor } from '../data/decode.ts';

/** The executors of the result stand for the recordings. */
export const sideIds = ['A', 'B'] as const;

interface Merged {
  strings: Map<string, number>;
  frames: Map<string, number>;
  frameRows: number[][];
  tree: TreeBuilder;
  events: Map<string, EventType>;
  /** (event, stack, category, state) of one side -> row */
  rows: number[][];
}

function stringRow(merged: Merged, text: string): number {
  const known = merged.strings.get(text);
  if (known !== undefined) return known;
  merged.strings.set(text, merged.strings.size);
  return merged.strings.size - 1;
}

const uuid = /[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/g;

/**
 * A file as it is called in every run: paths have temporary folders, containers and process IDs in them, which would
 * make each run's Python functions different ones. The server has the same rule (src/profiles/frame_origin.cc).
 */
export function lastingFile(path: string): string {
  const [name = '', folder = ''] = path.split('/').reverse();
  const own = name.replace(/\d{4,}/g, '#');
  return folder ? `${folder.replace(uuid, '#').replace(/\d{3,}/g, '#')}/${own}` : own;
}

function addFrames({ frames, strings }: Report, merged: Merged): Uint32Array {
  const rows = new Uint32Array(frames.name.length);
  const files = new Map<number, number>();
  const fileRow = (file: number) => {
    const known = files.get(file) ?? stringRow(merged, lastingFile(strings[file] ?? ''));
    files.set(file, known);
    return known;
  };
  for (let frame = 0; frame < rows.length; frame++) {
    const row = [
      stringRow(merged, strings[frames.name[frame]!] ?? ''),
      fileRow(frames.file[frame]!),
      frames.line[frame]!,
      frames.kind[frame]!,
      frames.origin[frame]!,
    ];
    const key = row.join();
    let known = merged.frames.get(key);
    if (known === undefined) {
      known = merged.frameRows.length;
      merged.frames.set(key, known);
      merged.frameRows.push(row);
    }
    rows[frame] = known;
  }
  return rows;
}

function addStacks({ stacks }: Report, frameRows: Uint32Array, merged: Merged): Uint32Array {
  const rows = new Uint32Array(stacks.parent.length);
  for (let stack = 1; stack < rows.length; stack++) {
    rows[stack] = merged.tree.child(rows[stacks.parent[stack]!]!, frameRows[stacks.frame[stack]!]!);
  }
  return rows;
}

function addSamples({ samples, events }: Report, side: number, stackRows: Uint32Array, merged: Merged): void {
  const eventRows = new Map<number, number>();
  for (const event of events) {
    const known = merged.events.get(event.name) ?? { ...event, id: merged.events.size + 1 };
    merged.events.set(event.name, known);
    eventRows.set(event.id, known.id);
  }
  const known = new Map<number, number>();
  for (let i = 0; i < samples.event.length; i++) {
    const event = eventRows.get(samples.event[i]!);
    if (event === undefined) continue;
    const stack = stackRows[samples.stack[i]!]!;
    const category = samples.category[i]!;
    // tasks are left out: only threads without one can be idle
    const state = samples.task[i]! < 0 ? samples.state[i]! : ThreadState.Unknown;
    const key = ((stack * 256 + event) * 16 + category) * 8 + state;
    let row = known.get(key);
    if (row === undefined) {
      row = merged.rows.length;
      known.set(key, row);
      merged.rows.push([event, stack, side, category, state, 0, 0]);
    }
    merged.rows[row]![5]! += samples.weight[i]!;
    merged.rows[row]![6]! += samples.count[i]!;
  }
}

function samplesOf(rows: number[][]): Samples {
  const column = <T>(type: { from(list: ArrayLike<number>): T }, at: number) => type.from(rows.map((row) => row[at]!));
  return {
    bucket: new Uint32Array(rows.length),
    event: column(Uint8Array, 0),
    stack: column(Uint32Array, 1),
    task: new Int32Array(rows.length).fill(-1),
    executor: column(Uint16Array, 2),
    thread: column(Uint16Array, 2),
    category: column(Uint8Array, 3),
    state: column(Uint8Array, 4),
    weight: column(Float64Array, 5),
    count: column(Uint32Array, 6),
  };
}

/** Samples of all `reports` without their times and tasks; `names` are those of the sides. */
export function sideBySide(reports: Report[], names: string[]): Partial<Report> {
  const merged: Merged = {
    strings: new Map([['', 0]]),
    frames: new Map(),
    frameRows: [],
    tree: new TreeBuilder(),
    events: new Map(),
    rows: [],
  };
  reports.forEach((report, side) => addSamples(report, side, addStacks(report, addFrames(report, merged), merged), merged));
  const { parent, label } = merged.tree.finish();
  const frame = <T>(type: { from(list: ArrayLike<number>): T }, at: number) => type.from(merged.frameRows.map((row) => row[at]!));
  return {
    strings: [...merged.strings.keys()],
    frames: {
      name: frame(Uint32Array, 0),
      file: frame(Uint32Array, 1),
      line: frame(Uint32Array, 2),
      kind: frame(Uint8Array, 3),
      origin: frame(Uint8Array, 4),
    },
    stacks: { parent, frame: label },
    events: [...merged.events.values()],
    samples: samplesOf(merged.rows),
    executors: reports.map((_report, side) => ({ ...emptyExecutor, id: sideIds[side]! })),
    startTab: 'flame',
    threads: names.map((name, side) => ({ tid: side, name, executor: side, kind: 'other' })),
  };
}
