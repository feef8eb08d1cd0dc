// SPDX-License-Identifier: Apache-2.0
// Values that components follow: a component that reads one while it renders is rendered again when it changes. A computed value is
// computed when it is read and something that it read before has changed.
import { Component, options, type VNode } from 'preact';
import { useEffect, useMemo } from 'preact/hooks';

export interface ReadonlySignal<T> {
  readonly value: T;
  /** without following it */
  peek(): T;
}
export interface Signal<T> extends ReadonlySignal<T> {
  value: T;
}

/** The version counts the changes of its value. */
interface Source {
  version: number;
  refresh(): void;
}
type Sources = Map<Source, number>;
interface Follower {
  sources: Sources;
  run(): void;
}

const followers = new Set<Follower>();
/** of what is being computed or rendered */
let reading: Sources | null = null;
let changes = 0;
let batches = 0;
let isDue = false;

function follow(source: Source): void {
  if (!reading?.has(source)) reading?.set(source, source.version);
}

function readingInto<T>(sources: Sources | null, read: () => T): T {
  const outer = reading;
  reading = sources;
  try {
    return read();
  } finally {
    reading = outer;
  }
}

function haveChanged(sources: Sources): boolean {
  try {
    for (const [source, version] of sources) {
      source.refresh();
      if (source.version !== version) return true;
    }
    return false;
  } catch {
    // whoever reads it gets the error
    return true;
  }
}

/** Changes inside `change` take effect together at its end. */
export function batch(change: () => void): void {
  batches++;
  try {
    change();
    while (batches === 1 && isDue) {
      isDue = false;
      for (const follower of [...followers]) if (followers.has(follower) && haveChanged(follower.sources)) follower.run();
    }
  } finally {
    batches--;
  }
}

export function signal<T>(first: T): Signal<T> {
  let current = first;
  const source = { version: 0, refresh: () => {} };
  return {
    get value() {
      follow(source);
      return current;
    },
    set value(next) {
      if (Object.is(next, current)) return;
      current = next;
      source.version++;
      changes++;
      isDue = true;
      batch(() => {});
    },
    peek: () => current,
  };
}

export function computed<T>(compute: () => T): ReadonlySignal<T> {
  let current: T;
  let sources: Sources | null = null;
  /** it is up to date as of so many changes */
  let checked = -1;
  const source = {
    version: 0,
    refresh: () => {
      if (checked === changes) return;
      const now = changes;
      if (!sources || haveChanged(sources)) {
        sources = null;
        const own: Sources = new Map();
        const next = readingInto(own, compute);
        sources = own;
        if (source.version === 0 || !Object.is(next, current)) {
          current = next;
          source.version++;
        }
      }
      checked = now;
    },
  };
  const peek = () => {
    source.refresh();
    return current;
  };
  return {
    get value() {
      const value = peek();
      follow(source);
      return value;
    },
    peek,
  };
}

/** Runs now, and again whenever something changes that it read. Returns a function that ends this. */
export function effect(act: () => void): () => void {
  const follower: Follower = {
    sources: new Map(),
    run: () => {
      follower.sources = new Map();
      readingInto(follower.sources, act);
    },
  };
  followers.add(follower);
  batch(follower.run);
  return () => followers.delete(follower);
}

export const useSignal = <T>(first: T): Signal<T> => useMemo(() => signal(first), []);
export const useSignalEffect = (act: () => void): void => useEffect(() => effect(act), []);

/** The names are those of Preact's build; signals.test.ts notices when another version has others. */
interface Hooks {
  /** before a component renders */
  __r?(vnode: Rendered): void;
  diffed?(vnode: Rendered): void;
  unmount?(vnode: Rendered): void;
  __e?(error: unknown, vnode: Rendered, ...more: unknown[]): void;
}
interface Rendered extends VNode {
  __c?: Following;
}
type Following = Component & { follower?: Follower & { isDue: boolean } };

const hooks = options as unknown as Hooks;
const { __r: before, diffed: after, unmount, __e: failed } = hooks;

hooks.__r = (vnode) => {
  before?.(vnode);
  const component = vnode.__c!;
  const follower = (component.follower ??= {
    sources: new Map(),
    isDue: false,
    run: () => {
      component.follower!.isDue = true;
      component.setState({});
    },
  });
  follower.isDue = false;
  follower.sources = reading = new Map();
  followers.add(follower);
};
hooks.diffed = (vnode) => {
  reading = null;
  after?.(vnode);
};
hooks.__e = (error, vnode, ...more) => {
  reading = null;
  failed?.(error, vnode, ...more);
};
hooks.unmount = (vnode) => {
  const follower = vnode.__c?.follower;
  if (follower) followers.delete(follower);
  unmount?.(vnode);
};
/** A component that follows signals needs no new picture while they and its properties are the same. */
Component.prototype.shouldComponentUpdate = function (this: Following, properties: object) {
  const { follower, props } = this;
  if (!follower || follower.isDue || follower.sources.size === 0) return true;
  const [was, is] = [props, properties] as Record<string, unknown>[];
  return [was, is].some((one) => Object.keys(one!).some((key) => was![key] !== is![key]));
};
