// SPDX-License-Identifier: Apache-2.0
// The phase of a task at a sample, by its stack and its thread's state.
import { ThreadState } from '../data/contract.ts';
import type { Model } from '../data/model.ts';

/** Bits of a node of the model's tree: what stands above it. */
export const enum Place {
  Python = 1,
  Engine = 2,
  Fetch = 4,
}

const inPython = /^\[(python worker|waiting for Python|python: not sampled)\]/;
/** Above the frames of a thread of a native engine, which works for the task that waits for it. */
const inEngine = '[engine thread]';
/** Reads the blocks of other executors. */
const inFetch = /\bShuffleBlockFetcherIterator\b/;

const known = new WeakMap<Model, Uint8Array>();

/** The phase of each node, itself included. */
export function placesOf(model: Model): Uint8Array {
  const before = known.get(model);
  if (before) return before;
  const { tree, functions } = model;
  const own = functions.name.map((name) =>
    inPython.test(name) ? Place.Python : name === inEngine ? Place.Engine : inFetch.test(name) ? Place.Fetch : 0,
  );
  const places = new Uint8Array(tree.count);
  for (let node = 1; node < tree.count; node++) places[node] = places[tree.parent[node]!]! | own[tree.label[node]!]!;
  known.set(model, places);
  return places;
}

/** Parts of the time of tasks as a member of the selection: its words, its event, and which of the event's samples belong to it. */
export interface SamplePhase {
  label: string;
  event: string;
  has(place: number, state: number): boolean;
}

const elsewhere = Place.Python | Place.Engine;

export const samplePhases: Record<string, SamplePhase> = {
  jvm: { label: 'JVM CPU', event: 'cpu', has: (place) => !(place & elsewhere) },
  python: { label: 'Python CPU', event: 'cpu', has: (place) => !!(place & Place.Python) },
  engine: { label: 'native engine CPU', event: 'cpu', has: (place) => !!(place & Place.Engine) },
  fetch: {
    label: 'waiting for shuffle data',
    event: 'wall',
    has: (place, state) => !!(place & Place.Fetch) && state !== ThreadState.Running,
  },
  // a sample of a thread that waits for a CPU looks like one of a thread that has it
  cpuWait: {
    label: 'on a CPU or waiting for one',
    event: 'wall',
    has: (place, state) => !(place & elsewhere) && state === ThreadState.Running,
  },
  other: {
    label: 'waiting for disk, network and others',
    event: 'wall',
    has: (place, state) => !(place & (elsewhere | Place.Fetch)) && state !== ThreadState.Running,
  },
};
