// SPDX-License-Identifier: Apache-2.0
// What all time axes of the page share: the timeline's lanes and every curve.
import type { LanesTheme } from '../charts/timeline/lanes.ts';
import type { TimeEvents } from '../charts/timeline/pointer.ts';
import type { Store } from './store.ts';

export const timelineThemes: Record<'light' | 'dark', LanesTheme> = {
  light: {
    background: '#ffffff',
    line: '#e6e9ed',
    text: '#15181c',
    quiet: '#565d66',
    mark: '#b3261e',
    veil: 'rgb(255 255 255 / 68%)',
    accent: '#0b5cad',
    barText: '#14171a',
    density: '#b9c6d6',
    ground: '#eef1f4',
  },
  dark: {
    background: '#16191d',
    line: '#2a2f36',
    text: '#e7eaee',
    quiet: '#a3abb5',
    mark: '#ff8a80',
    veil: 'rgb(22 25 29 / 68%)',
    accent: '#7db7f5',
    barText: '#f7f8fa',
    density: '#46556a',
    ground: '#23282e',
  },
};

/** Effects of a drag or a wheel on any time axis of the page. Ranges snap to the buckets of the samples. */
export function timeEvents(store: Store): TimeEvents {
  const { bucketMs } = store.model.report;
  return {
    range: (range) =>
      store.select(
        range === null
          ? { from: undefined, to: undefined }
          : { from: Math.floor(range.from / bucketMs) * bucketMs, to: Math.max(1, Math.ceil(range.to / bucketMs)) * bucketMs },
      ),
    window: (window) => store.update({ window }),
    moment: (time) => {
      if (store.model.report.logs) store.update({ moment: Math.max(0, Math.min(store.model.duration, time)) });
    },
  };
}
