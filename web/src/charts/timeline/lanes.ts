// SPDX-License-Identifier: Apache-2.0
// Lanes of bars over time on a canvas: jobs, stages, and the tasks of each executor. Knows no framework.
import { highestPerPixel } from '../../analysis/pixels.ts';
import { cutToWidth } from '../cut_middle.ts';
import { CanvasChart, smallFont } from '../canvas_chart.ts';
import { followPointer, type TimeEvents, type TimeWindow } from './pointer.ts';
import { tickLabel, ticks, tickStep } from './scale.ts';

export interface Lane {
  label: string;
  rows: number;
  rowHeight: number;
  /** ms */
  begin: ArrayLike<number>;
  end: ArrayLike<number>;
  row: ArrayLike<number>;
  color(bar: number): string;
  /** null: too many bars for names */
  name: ((bar: number) => string) | null;
  marked(bar: number): boolean;
  /** ms; what the lane is of exists from then till then, and was lost at the end */
  lifetime?: { from: number; to: number; lost: boolean };
}

/** How many run at once, over time: a filled curve of steps below the lanes. */
export interface Density {
  label: string;
  height: number;
  /** ms; from then on as many run */
  time: ArrayLike<number>;
  /** each in front of those before it: sums of several kinds begin with the sum of all */
  layers: { running: ArrayLike<number>; color?: string }[];
  /** as many could run */
  behind?: { time: ArrayLike<number>; running: ArrayLike<number>; peak: number };
  peak: number;
  peakText: string;
}

export interface LanePlace {
  lane: number;
  bar: number;
}

export interface LanesTheme {
  background: string;
  line: string;
  text: string;
  quiet: string;
  mark: string;
  veil: string;
  accent: string;
  barText: string;
  density: string;
  /** behind bars: what could run */
  ground: string;
}

export interface LanesScene {
  lanes: Lane[];
  densities: Density[];
  window: TimeWindow;
  whole: number;
  range: TimeWindow | null;
  /** ms; marked by a line */
  moment: number | null;
  /** date and zone of the axis' start */
  date: string;
  /** the bar that the keyboard is at */
  focus: LanePlace | null;
  theme: LanesTheme;
}

export interface LanesEvents extends TimeEvents {
  hover(lane: number, bar: number, x: number, y: number): void;
  pick(lane: number, bar: number): void;
}

/** Width of the labels on the left; equal for curves, so that times are aligned. */
export const gutter = 136;
const axisHeight = 20;
const laneGap = 5;

export class LaneChart extends CanvasChart<LanesScene> {
  private readonly spacer = document.createElement('div');
  private dragged: TimeWindow | null = null;

  /** `host` scrolls vertically; the canvas covers its visible part only. */
  constructor(
    host: HTMLElement,
    private readonly events: LanesEvents,
  ) {
    super(host, 'lanes-canvas');
    host.append(this.spacer);
    host.addEventListener('scroll', () => this.redraw(), { passive: true, signal: this.signal });
    followPointer(
      this.canvas,
      this.signal,
      (x) => this.timeAt(x),
      () => ({ window: this.scene?.window ?? { from: 0, to: 1 }, whole: this.scene?.whole ?? 1 }),
      events,
      (range) => {
        this.dragged = range;
        this.redraw();
      },
      (event) => {
        const hit = this.hitTest(event);
        if (hit) this.events.pick(hit.lane, hit.bar);
        this.events.moment(this.timeAt(event.clientX));
      },
    );
    this.canvas.addEventListener('mousemove', (event) => {
      const hit = this.dragged ? null : this.hitTest(event);
      this.canvas.style.cursor = hit ? 'pointer' : 'crosshair';
      events.hover(hit ? hit.lane : -1, hit ? hit.bar : -1, event.clientX, event.clientY);
    });
    this.canvas.addEventListener('mouseleave', () => events.hover(-1, -1, 0, 0));
  }

  /** Pixels needed to show all lanes. */
  static heightOf({ lanes, densities }: Pick<LanesScene, 'lanes' | 'densities'>): number {
    const heights = [...lanes.map(({ rows, rowHeight }) => rows * rowHeight), ...densities.map(({ height }) => height)];
    return heights.reduce((sum, height) => sum + height + laneGap, axisHeight);
  }

  draw(): void {
    const { scene, context, host } = this;
    const size = scene && this.fit();
    if (!size) return;
    const { width, height } = size;
    this.spacer.style.height = `${Math.max(0, LaneChart.heightOf(scene) - height)}px`;
    context.font = smallFont;
    context.textBaseline = 'middle';
    context.fillStyle = scene.theme.background;
    context.fillRect(0, 0, width, height);
    this.drawGrid(scene, width, height);
    let top = axisHeight - host.scrollTop;
    for (const lane of scene.lanes) {
      const laneHeight = lane.rows * lane.rowHeight;
      if (top + laneHeight > axisHeight && top < height) this.drawLane(scene, lane, top, width);
      top += laneHeight + laneGap;
    }
    for (const density of scene.densities) {
      this.drawDensity(scene, density, top, width);
      top += density.height + laneGap;
    }
    this.drawAxis(scene, width);
    const focus = scene.focus && this.boxOf(scene.focus);
    if (focus) {
      context.strokeStyle = scene.theme.text;
      context.lineWidth = 2;
      context.strokeRect(focus.x - 1, focus.y - 1, focus.width + 2, focus.height + 2);
    }
    const range = this.dragged ?? scene.range;
    if (range) this.drawRange(scene, range, width, height);
    if (scene.moment !== null && scene.moment >= scene.window.from && scene.moment <= scene.window.to) {
      context.fillStyle = scene.theme.mark;
      context.fillRect(Math.round(this.xOf(scene.moment, width)), 0, 1, height);
    }
  }

  private xOf(time: number, width: number): number {
    const { from, to } = this.scene!.window;
    return gutter + ((time - from) / (to - from)) * (width - gutter);
  }

  private timeAt(clientX: number): number {
    if (!this.scene) return 0;
    const box = this.canvas.getBoundingClientRect();
    const { from, to } = this.scene.window;
    return from + ((clientX - box.left - gutter) / Math.max(1, box.width - gutter)) * (to - from);
  }

  private drawGrid(scene: LanesScene, width: number, height: number): void {
    const { context } = this;
    context.fillStyle = scene.theme.line;
    for (const at of ticks(scene.window.from, scene.window.to, (width - gutter) / 90)) {
      context.fillRect(Math.round(this.xOf(at, width)), axisHeight - 4, 1, height);
    }
  }

  private drawAxis(scene: LanesScene, width: number): void {
    const { context } = this;
    const { from, to } = scene.window;
    const most = (width - gutter) / 90;
    const step = tickStep(to - from, Math.max(1, most));
    context.fillStyle = scene.theme.background;
    context.fillRect(0, 0, width, axisHeight - 4);
    context.fillStyle = scene.theme.quiet;
    context.fillText(this.clipped(scene.date, gutter - 6), 4, 8);
    for (const at of ticks(from, to, most)) {
      const label = tickLabel(at, step);
      const x = this.xOf(at, width);
      context.fillText(label, Math.min(x + 2, width - context.measureText(label).width - 2), 8);
    }
  }

  private drawLane(scene: LanesScene, lane: Lane, top: number, width: number): void {
    const { context } = this;
    const { theme } = scene;
    const { rowHeight } = lane;
    if (lane.lifetime) this.drawLifetime(scene, lane.lifetime, top, lane.rows * rowHeight, width);
    const filled = new Float64Array(lane.rows).fill(-1);
    for (let bar = 0; bar < lane.begin.length; bar++) {
      if (lane.end[bar]! < scene.window.from || lane.begin[bar]! > scene.window.to) continue;
      const row = lane.row[bar]!;
      const x = Math.max(gutter, this.xOf(lane.begin[bar]!, width));
      const right = Math.min(width, Math.max(x + 1, this.xOf(lane.end[bar]!, width)));
      // a bar inside pixels that are already full would not be seen
      if (right <= filled[row]!) continue;
      filled[row] = right;
      const y = top + row * rowHeight;
      const w = right - x > 3 ? right - x - 1 : right - x;
      const h = rowHeight > 3 ? rowHeight - 1 : rowHeight;
      context.fillStyle = lane.color(bar);
      context.fillRect(x, y, w, h);
      if (lane.marked(bar)) {
        context.fillStyle = theme.mark;
        context.fillRect(x, y, w, Math.min(2, h));
      }
      if (lane.name && w > 30) {
        context.fillStyle = theme.barText;
        context.fillText(this.clipped(lane.name(bar), w - 6), x + 3, y + rowHeight / 2);
      }
    }
    context.fillStyle = theme.background;
    context.fillRect(0, top, gutter, lane.rows * rowHeight);
    context.fillStyle = theme.text;
    context.fillText(this.clipped(lane.label, gutter - 18), 12, top + Math.min((lane.rows * rowHeight) / 2, 16));
  }

  private drawLifetime(
    scene: LanesScene,
    { from, to, lost }: NonNullable<Lane['lifetime']>,
    top: number,
    height: number,
    width: number,
  ): void {
    const { context } = this;
    const left = Math.max(gutter, this.xOf(from, width));
    const right = Math.min(width, this.xOf(to, width));
    if (right <= left) return;
    context.fillStyle = scene.theme.ground;
    context.fillRect(left, top, right - left, height);
    if (!lost || to > scene.window.to) return;
    context.fillStyle = scene.theme.mark;
    context.fillRect(right - 1, top - 2, 2, height + 4);
  }

  private drawDensity(
    scene: LanesScene,
    { time, layers, behind, peak, peakText, height, label }: Density,
    top: number,
    width: number,
  ): void {
    const { context } = this;
    const all = layers.map((layer) => ({ time, color: scene.theme.density, ...layer }));
    if (behind) all.unshift({ ...behind, color: scene.theme.ground });
    for (const { time, running, color } of all) {
      context.fillStyle = color;
      const highest = highestPerPixel(time, running, scene.window.from, scene.window.to, Math.max(0, Math.ceil(width) - gutter));
      highest.forEach((value, x) => {
        const h = Math.ceil((value / (peak || 1)) * height);
        context.fillRect(gutter + x, top + height - h, 1, h);
      });
    }
    context.fillStyle = scene.theme.background;
    context.fillRect(0, top, gutter, height);
    context.fillStyle = scene.theme.text;
    context.fillText(this.clipped(label, gutter - 50), 12, top + height / 2);
    context.fillStyle = scene.theme.quiet;
    context.fillText(peakText, gutter - context.measureText(peakText).width - 6, top + 6);
  }

  private clipped(text: string, width: number): string {
    return cutToWidth(text, width, 3, (part) => this.context.measureText(part).width);
  }

  private drawRange(scene: LanesScene, range: TimeWindow, width: number, height: number): void {
    const { context } = this;
    const from = Math.max(gutter, this.xOf(range.from, width));
    const to = Math.min(width, this.xOf(range.to, width));
    context.fillStyle = scene.theme.veil;
    context.fillRect(gutter, 0, Math.max(0, from - gutter), height);
    context.fillRect(to, 0, Math.max(0, width - to), height);
    context.fillStyle = scene.theme.accent;
    context.fillRect(from - 1, 0, 1, height);
    context.fillRect(to, 0, 1, height);
  }

  /** Where a bar is in the canvas; null for one that is not there. */
  boxOf({ lane: at, bar }: LanePlace): { x: number; y: number; width: number; height: number } | null {
    const lane = this.scene?.lanes[at];
    if (!this.scene || !lane || bar >= lane.begin.length) return null;
    const width = this.host.clientWidth;
    const above = this.scene.lanes.slice(0, at).reduce((sum, { rows, rowHeight }) => sum + rows * rowHeight + laneGap, axisHeight);
    const x = Math.max(gutter, this.xOf(lane.begin[bar]!, width));
    return {
      x,
      y: above - this.host.scrollTop + lane.row[bar]! * lane.rowHeight,
      width: Math.max(2, Math.min(width, this.xOf(lane.end[bar]!, width)) - x),
      height: Math.max(2, lane.rowHeight - 1),
    };
  }

  /** Scrolls to a bar. */
  reveal(place: LanePlace): void {
    const box = this.boxOf(place);
    if (!box) return;
    if (box.y < axisHeight) this.host.scrollTop += box.y - axisHeight;
    else if (box.y + box.height > this.host.clientHeight) this.host.scrollTop += box.y + box.height - this.host.clientHeight;
  }

  private hitTest(event: MouseEvent): { lane: number; bar: number } | null {
    const { scene } = this;
    if (!scene) return null;
    const box = this.canvas.getBoundingClientRect();
    const x = event.clientX - box.left;
    const y = event.clientY - box.top;
    if (x < gutter || y < axisHeight) return null;
    let top = axisHeight - this.host.scrollTop;
    for (const [index, lane] of scene.lanes.entries()) {
      const row = Math.floor((y - top) / lane.rowHeight);
      if (row >= 0 && row < lane.rows) {
        for (let bar = 0; bar < lane.begin.length; bar++) {
          if (lane.row[bar] !== row) continue;
          const left = this.xOf(lane.begin[bar]!, box.width);
          if (x >= left - 1 && x <= Math.max(left + 2, this.xOf(lane.end[bar]!, box.width))) return { lane: index, bar };
        }
        return null;
      }
      top += lane.rows * lane.rowHeight + laneGap;
    }
    return null;
  }
}
