// SPDX-License-Identifier: Apache-2.0
// Loads what a page shows, again and again while somebody can see it.
import { useEffect, useRef, useState } from 'preact/hooks';

/** ms */
const interval = 5000;
const longestPause = 60_000;
/** A slow answer is not asked for more often than this many times its own duration. */
const restFactor = 10;

export function pauseAfter(took: number, failures: number): number {
  const pause = Math.max(interval, took * restFactor);
  return failures === 0 ? pause : Math.min(longestPause, Math.max(pause, interval * 2 ** (failures - 1)));
}

export interface Polled<T> {
  /** the last good answer, kept while a later request fails; null before the first, and for another key */
  value: T | null;
  error: Error | null;
  /** ms since the Unix epoch: when the server was last heard of */
  updated: number;
  reload(): void;
}

/**
 * `key` names what `load` loads; another key starts anew. `load` gets the last value and returns it if nothing changed.
 * `repeats` decides after each answer whether to ask again.
 */
export function usePolled<T>(
  key: string,
  load: (signal: AbortSignal, last: T | null) => Promise<T>,
  repeats: (value: T) => boolean = () => false,
): Polled<T> {
  const [state, setState] = useState<{ key: string; value: T | null; error: Error | null; updated: number }>({
    key: '',
    value: null,
    error: null,
    updated: 0,
  });
  const latest = useRef({ load, repeats });
  latest.current = { load, repeats };
  const reload = useRef(() => {});
  useEffect(() => {
    const controller = new AbortController();
    let timer: ReturnType<typeof setTimeout> | undefined;
    let value: T | null = null;
    let failures = 0;
    let busy = false;
    let due = false;
    const again = (pause: number) => {
      clearTimeout(timer);
      timer = setTimeout(() => {
        if (document.hidden) due = true;
        else void ask();
      }, pause);
    };
    const ask = async () => {
      if (busy) return;
      busy = true;
      due = false;
      clearTimeout(timer);
      const began = performance.now();
      let error: Error | null = null;
      try {
        value = await latest.current.load(controller.signal, value);
        failures = 0;
      } catch (problem) {
        error = problem as Error;
        failures++;
      }
      busy = false;
      if (controller.signal.aborted) return;
      setState((before) => ({ key, value, error, updated: error ? before.updated : Date.now() }));
      if (error || latest.current.repeats(value as T)) again(pauseAfter(performance.now() - began, failures));
    };
    const seen = () => {
      if (!document.hidden && due) void ask();
    };
    document.addEventListener('visibilitychange', seen);
    reload.current = () => void ask();
    void ask();
    return () => {
      controller.abort();
      clearTimeout(timer);
      document.removeEventListener('visibilitychange', seen);
    };
  }, [key]);
  const known = state.key === key;
  return {
    value: known ? state.value : null,
    error: known ? state.error : null,
    updated: known ? state.updated : 0,
    reload: () => reload.current(),
  };
}
