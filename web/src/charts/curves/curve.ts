// SPDX-License-Identifier: Apache-2.0
// One small line chart over time on a canvas, on the same time axis as the lanes.
import { firstAfter } from '../../analysis/first_place.ts';
import { CanvasChart, smallFont } from '../canvas_chart.ts';
import { gutter } from '../timeline/lanes.ts';
import { followPointer, type TimeEvents, type TimeWindow } from '../timeline/pointer.ts';
import { tickLabel, ticks, tickStep } from '../timeline/scale.ts';

export interface CurveLine {
  label: string;
  color: string;
  dashed: boolean;
  /** of the area below the line */
  fill?: string;
  /** drawn as steps: a value holds until the next one */
  steps?: boolean;
}

export interface CurveScene {
  /** x in ms, then one column for each line; null where a line has no value */
  data: [number[], ...(number | null)[][]];
  lines: CurveLine[];
  window: TimeWindow;
  whole: number;
  range: TimeWindow | null;
  /** ms; marked by a line */
  moment: number | null;
  /** starts and ends of jobs, stages or tasks, ms */
  boundaries?: ArrayLike<number>;
  /** times at which something broke, ms; marked by lines */
  breaks?: TimeMark[];
  /** spans of time that stand out, ms; drawn with an outline */
  outlined?: TimeWindow[];
  format(value: number): string;
  theme: { line: string; quiet: string; veil: string; accent: string; mark: string };
}

export interface TimeMark {
  time: number;
  label: string;
}

export interface CurveEvents extends TimeEvents {
  /** index into the data, -1 for none */
  hover(index: number, x: number, y: number): void;
}

export const curveHeight = 46;

const top_ = 5;
/** below the plot: nothing, or the times, where the chart stands alone */
const bottom = 3;
const bottomWithTimes = 16;
/** px */
const standsAlone = 100;
/** of the largest value, which has a line of its own */
const headroom = 1.08;
const lineWidth = 1.25;
const pointRadius = 2.5;
const manyBoundaries = 60;
/** px, of the name of a mark */
const nameWidth = 90;

/** Charts with the same key show the pointer's time together. */
const synchronized = new Map<string, Set<Curve>>();

export class Curve extends CanvasChart<CurveScene> {
  private readonly plot = document.createElement('div');
  private dragged: TimeWindow | null = null;
  /** ms */
  private pointed: number | null = null;

  constructor(
    host: HTMLElement,
    private readonly events: CurveEvents,
    private readonly syncKey: string,
    height = curveHeight,
  ) {
    super(host, '', true);
    host.style.cssText = `position:relative;height:${height}px`;
    this.canvas.style.cssText = 'position:absolute;left:0;top:0';
    this.plot.className = 'curve-plot';
    this.plot.style.cssText = `position:absolute;left:${gutter}px;right:0;top:0;bottom:0`;
    host.append(this.plot);
    const timeAt = (clientX: number) => this.timeOf(clientX - this.plot.getBoundingClientRect().left);
    followPointer(
      this.plot,
      this.signal,
      timeAt,
      () => ({ window: this.scene!.window, whole: this.scene!.whole }),
      this.events,
      (range) => {
        this.dragged = range;
        this.redraw();
      },
      (event) => this.events.moment(timeAt(event.clientX)),
    );
    this.plot.addEventListener('mousemove', (event) => {
      const time = timeAt(event.clientX);
      this.pointAll(time);
      this.events.hover(this.nearest(time), event.clientX, event.clientY);
    });
    this.plot.addEventListener('mouseleave', () => {
      this.pointAll(null);
      this.events.hover(-1, 0, 0);
    });
    const others = synchronized.get(syncKey) ?? new Set();
    synchronized.set(syncKey, others.add(this));
  }

  override destroy(): void {
    super.destroy();
    synchronized.get(this.syncKey)?.delete(this);
  }

  private pointAll(time: number | null): void {
    for (const chart of synchronized.get(this.syncKey) ?? []) {
      chart.pointed = time;
      chart.redraw();
    }
  }

  /** ms at an x of the plot */
  private timeOf(x: number): number {
    const {
      window: { from, to },
    } = this.scene!;
    return from + (x / Math.max(1, this.plot.clientWidth)) * (to - from);
  }

  /** Index of the point closest to a time, -1 for none. */
  private nearest(ms: number): number {
    const time = this.scene!.data[0];
    const after = firstAfter(time, ms);
    if (after === 0) return time.length > 0 ? 0 : -1;
    return after < time.length && time[after]! - ms < ms - time[after - 1]! ? after : after - 1;
  }

  draw(): void {
    const { scene, context } = this;
    const size = scene && this.fit();
    if (!size) return;
    const { width, height } = size;
    const {
      window: { from, to },
      data: [time, ...columns],
      theme,
    } = scene;
    context.clearRect(0, 0, width, height);
    const xOf = (ms: number) => gutter + ((ms - from) / Math.max(1e-9, to - from)) * (width - gutter);
    // one point beyond each edge: lines go on there
    const first = Math.max(0, firstAfter(time, from) - 1);
    const end = Math.min(time.length, firstAfter(time, to) + 1);
    const most = columns.reduce((all, column) => Math.max(all, largest(column, first, end)), 0) || 1;
    const below = height >= standsAlone ? bottomWithTimes : bottom;
    const yOf = (value: number) => height - below - (value / (most * headroom)) * (height - top_ - below);
    context.font = smallFont;
    context.textAlign = 'right';
    context.textBaseline = 'middle';
    context.fillStyle = theme.quiet;
    context.fillText(scene.format(most), gutter - 6, yOf(most));
    context.fillStyle = theme.line;
    for (const y of [yOf(most), yOf(0)]) context.fillRect(gutter, Math.round(y), width - gutter, 1);
    const mostTicks = (width - gutter) / 90;
    const places = ticks(from, to, mostTicks);
    for (const at of places) context.fillRect(Math.round(xOf(at)), top_, 1, height - top_ - below);
    if (below > bottom) {
      context.fillStyle = theme.quiet;
      context.textAlign = 'left';
      const step = tickStep(to - from, Math.max(1, mostTicks));
      for (const at of places) {
        const label = tickLabel(at, step);
        context.fillText(label, Math.min(xOf(at) + 2, width - context.measureText(label).width - 2), height - 7);
      }
    }
    this.drawBoundaries(scene, xOf, height);
    context.save();
    context.beginPath();
    context.rect(gutter, 0, width - gutter, height);
    context.clip();
    scene.lines.forEach((line, i) => this.drawLine(line, time, columns[i]!, first, end, xOf, yOf));
    this.drawOutlined(scene, xOf, height - below);
    this.drawBreaks(scene, xOf, width, height);
    this.drawPointed(scene, xOf, yOf, height);
    this.drawRange(scene, xOf, width, height);
    if (scene.moment !== null) {
      context.fillStyle = theme.mark;
      context.fillRect(Math.round(xOf(scene.moment)), 0, 1, height);
    }
    context.restore();
  }

  private drawLine(
    line: CurveLine,
    time: number[],
    column: (number | null)[],
    first: number,
    end: number,
    xOf: (ms: number) => number,
    yOf: (value: number) => number,
  ): void {
    const { context } = this;
    // the last value before the edge
    while (first > 0 && column[first] === null) first--;
    const path = new Path2D();
    let begin = 0;
    let x = 0;
    let y = 0;
    let points = 0;
    for (let i = first; i < time.length; i++) {
      const value = column[i];
      if (value === null || value === undefined) continue;
      const after = xOf(time[i]!);
      if (points === 0) {
        begin = after;
        path.moveTo(after, yOf(value));
      } else if (line.steps) path.lineTo(after, y);
      x = after;
      y = yOf(value);
      path.lineTo(x, y);
      points++;
      if (i >= end) break;
    }
    if (points === 0) return;
    if (line.fill) {
      const area = new Path2D(path);
      area.lineTo(x, yOf(0));
      area.lineTo(begin, yOf(0));
      context.fillStyle = line.fill;
      context.fill(area);
    }
    context.strokeStyle = line.color;
    context.lineWidth = lineWidth;
    context.setLineDash(line.dashed ? [3, 3] : []);
    context.stroke(path);
    context.setLineDash([]);
  }

  private drawBoundaries({ boundaries, window: { from, to }, theme }: CurveScene, xOf: (ms: number) => number, height: number): void {
    if (!boundaries) return;
    const places = new Set<number>();
    for (let i = 0; i < boundaries.length; i++)
      if (boundaries[i]! >= from && boundaries[i]! <= to) places.add(Math.round(xOf(boundaries[i]!)));
    // the lines of thousands of jobs must not hide the curve
    this.context.globalAlpha = places.size > manyBoundaries ? 0.15 : 0.5;
    this.context.fillStyle = theme.quiet;
    for (const x of places) this.context.fillRect(x, top_, 1, height - top_ - bottom);
    this.context.globalAlpha = 1;
  }

  private drawOutlined({ outlined = [], theme }: CurveScene, xOf: (ms: number) => number, bottomEdge: number): void {
    const { context } = this;
    context.strokeStyle = theme.mark;
    context.lineWidth = 2;
    for (const { from, to } of outlined) context.strokeRect(xOf(from), 1, Math.max(2, xOf(to) - xOf(from)), bottomEdge - 1);
  }

  private drawBreaks({ breaks = [], theme }: CurveScene, xOf: (ms: number) => number, width: number, height: number): void {
    const { context } = this;
    context.fillStyle = theme.mark;
    // of several at one place the first is named
    let named = -Infinity;
    for (const { time, label } of breaks) {
      const x = Math.round(Math.min(width - 2, xOf(time)));
      context.fillRect(x, 0, 2, height);
      if (x < named + nameWidth) continue;
      named = x;
      const isAtEdge = x + nameWidth > width;
      context.textAlign = isAtEdge ? 'right' : 'left';
      context.fillText(label, isAtEdge ? x - 4 : x + 6, top_ + 5);
    }
  }

  /** The pointer's time, and the points closest to it. */
  private drawPointed(
    { data: [time, ...columns], lines, theme }: CurveScene,
    xOf: (ms: number) => number,
    yOf: (value: number) => number,
    height: number,
  ): void {
    if (this.pointed === null) return;
    const { context } = this;
    context.fillStyle = theme.quiet;
    context.fillRect(Math.round(xOf(this.pointed)), 0, 1, height);
    const at = this.nearest(this.pointed);
    columns.forEach((column, i) => {
      const value = column[at];
      if (value === null || value === undefined) return;
      context.fillStyle = lines[i]!.color;
      context.beginPath();
      context.arc(xOf(time[at]!), yOf(value), pointRadius, 0, 2 * Math.PI);
      context.fill();
    });
  }

  private drawRange({ range, theme }: CurveScene, xOf: (ms: number) => number, width: number, height: number): void {
    const shown = this.dragged ?? range;
    if (!shown) return;
    const { context } = this;
    const from = Math.max(gutter, xOf(shown.from));
    const to = Math.min(width, xOf(shown.to));
    context.fillStyle = theme.veil;
    context.fillRect(gutter, 0, Math.max(0, from - gutter), height);
    context.fillRect(to, 0, Math.max(0, width - to), height);
    context.fillStyle = theme.accent;
    context.fillRect(from - 1, 0, 1, height);
    context.fillRect(to, 0, 1, height);
  }
}

function largest(column: (number | null)[], first: number, end: number): number {
  let most = 0;
  for (let i = first; i < end; i++) if ((column[i] ?? 0) > most) most = column[i]!;
  return most;
}
