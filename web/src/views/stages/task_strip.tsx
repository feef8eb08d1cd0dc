// SPDX-License-Identifier: Apache-2.0
// The tasks of a finding's stage as dots: start against duration. The finding's own tasks stand out.
import type { VNode } from 'preact';
import { useMemo } from 'preact/hooks';
import type { Selection } from '../../data/contract.ts';
import type { Model } from '../../data/model.ts';
import { taskMask } from '../../analysis/selection.ts';
import { duration } from '../../state/format.ts';
import { useStore } from '../../state/store.ts';
import { plural } from '../text.ts';

export const pictureWidth = 260;
export const pictureHeight = 84;
const [width, height] = [pictureWidth, pictureHeight];
const margin = 6;
/** More dots are no clearer: those of the longest task of each column of pixels, and of the finding's own, are drawn. */
const mostDots = 1500;

/** Fewer make no picture. */
const fewestDots = 8;

interface Dots {
  x: number;
  y: number;
  marked: boolean;
}

function dotsOf(model: Model, selection: Selection): { dots: Dots[]; tasks: number; longest: number } {
  const { tasks } = model.report;
  const ofStage = taskMask(model, { stage: selection.stage, stageAttempt: selection.stageAttempt })!;
  const chosen = selection.task === undefined ? null : taskMask(model, selection);
  const rows: number[] = [];
  let [first, last, longest] = [Infinity, 0, 1];
  const lasting = (row: number) => tasks.end[row]! - tasks.begin[row]!;
  for (let row = 0; row < tasks.taskId.length; row++) {
    if (!ofStage[row] || !(lasting(row) > 0)) continue;
    rows.push(row);
    first = Math.min(first, tasks.begin[row]!);
    last = Math.max(last, tasks.begin[row]!);
    longest = Math.max(longest, lasting(row));
  }
  const xOf = (row: number) => margin + ((tasks.begin[row]! - first) / (last - first || 1)) * (width - 2 * margin);
  const tops = new Int32Array(width).fill(-1);
  if (rows.length > mostDots)
    for (const row of rows) {
      const x = Math.floor(xOf(row));
      if (tops[x]! < 0 || lasting(row) > lasting(tops[x]!)) tops[x] = row;
    }
  const drawn =
    rows.length <= mostDots ? rows : rows.filter((row) => tops[Math.floor(xOf(row))] === row || chosen?.[row]).slice(0, mostDots);
  return {
    tasks: rows.length,
    longest,
    dots: drawn.map((row) => ({
      x: xOf(row),
      y: height - margin - (lasting(row) / longest) * (height - 2 * margin),
      marked: !!chosen && chosen[row] === 1,
    })),
  };
}

/** `otherwise`: where they are too few */
export function TaskStrip({ selection, otherwise }: { selection: Selection; otherwise: VNode }) {
  const store = useStore();
  const { dots, tasks, longest } = useMemo(() => dotsOf(store.model, selection), [store.model, selection]);
  if (tasks < fewestDots) return otherwise;
  const caption = `${plural(tasks, 'task')} by start and duration, up to ${duration(longest * 1e6)}`;
  return (
    <figure class="picture">
      <svg width={width} height={height} role="img" aria-label={caption}>
        <line x1={0} x2={width} y1={height - margin + 2} y2={height - margin + 2} />
        {dots.map(({ x, y, marked }, i) => (
          <circle key={i} cx={x} cy={y} r={marked ? 4 : dots.length > 200 ? 2 : 3} class={marked ? 'marked' : ''} />
        ))}
      </svg>
      <figcaption class="quiet">{caption}</figcaption>
    </figure>
  );
}
