// SPDX-License-Identifier: Apache-2.0
// Points on a canvas with a brush. Knows no framework.
import { CanvasChart, smallFont } from '../canvas_chart.ts';
import { ticks } from '../timeline/scale.ts';

export interface ScatterTheme {
  background: string;
  line: string;
  quiet: string;
  text: string;
  accent: string;
}

/** ms since a start, or sizes; y is a duration in ms, which begins at zero */
export type ScatterUnit = 'moment' | 'bytes' | 'count';

export interface ScatterScene {
  x: Float64Array;
  y: Float64Array;
  color(point: number): string;
  /** drawn faint; null: all points are chosen */
  chosen: Uint8Array | null;
  focus: number;
  /** drawn as a line; null: none */
  median: number | null;
  /** a point that stands out, and what is written beside it */
  offender: { point: number; label: string } | null;
  xUnit: ScatterUnit;
  xLabel: string;
  yLabel: string;
  formatX(value: number): string;
  formatY(value: number): string;
  theme: ScatterTheme;
}

export interface ScatterEvents {
  /** -1: none */
  hover(point: number, x: number, y: number): void;
  pick(point: number): void;
  /** the points inside a dragged rectangle */
  brush(points: number[]): void;
}

const margin = { left: 76, right: 12, top: 26, bottom: 34 };
/** 8 px across; smaller where that many would cover each other */
const radii = [4, 2.5] as const;
const manyPoints = 2000;
/** px; of many points, those that would cover another almost wholly are not drawn */
const grain = 3;
/** px; farther is not pointed at */
const reach = 6;
const shortestDrag = 4;

interface Extent {
  least: number;
  most: number;
}

interface Rectangle {
  x0: number;
  y0: number;
  x1: number;
  y1: number;
}

export class Scatter extends CanvasChart<ScatterScene> {
  private brush: Rectangle | null = null;

  constructor(
    host: HTMLElement,
    private readonly events: ScatterEvents,
  ) {
    super(host, 'scatter-canvas');
    this.followPointer();
  }

  /** Where a point is in the window. */
  placeOf(point: number): { x: number; y: number } {
    const box = this.canvas.getBoundingClientRect();
    return { x: box.left + this.left(this.scene!.x[point]!), y: box.top + this.top(this.scene!.y[point]!) };
  }

  private extent(values: Float64Array, fromZero: boolean): Extent {
    let least = Infinity;
    let most = -Infinity;
    for (const value of values) {
      least = Math.min(least, value);
      most = Math.max(most, value);
    }
    // what differs little would be a heap at the right
    if (fromZero || !(least > most / 2)) least = 0;
    return { least, most: most > least ? most : least + 1 };
  }

  private left(value: number): number {
    const { least, most } = this.extentX;
    return margin.left + ((value - least) / (most - least)) * (this.size.width - margin.left - margin.right);
  }

  private top(value: number): number {
    const { least, most } = this.extentY;
    return this.size.height - margin.bottom - ((value - least) / (most - least)) * (this.size.height - margin.top - margin.bottom);
  }

  private extentX: Extent = { least: 0, most: 1 };
  private extentY: Extent = { least: 0, most: 1 };

  draw(): void {
    const { scene, context } = this;
    const size = scene && this.fit();
    if (!size) return;
    this.extentX = this.extent(scene.x, false);
    this.extentY = this.extent(scene.y, true);
    context.font = smallFont;
    context.fillStyle = scene.theme.background;
    context.fillRect(0, 0, size.width, size.height);
    this.drawAxes(scene, size);
    const areMany = scene.x.length > manyPoints;
    const radius = radii[areMany ? 1 : 0];
    const across = Math.ceil(size.width / grain);
    for (const chosen of [false, true]) {
      context.globalAlpha = chosen ? 0.8 : 0.2;
      const drawn = new Uint8Array(areMany ? across * Math.ceil(size.height / grain) : 0);
      for (let point = 0; point < scene.x.length; point++) {
        if ((!scene.chosen || scene.chosen[point] === 1) !== chosen) continue;
        const [left, top] = [this.left(scene.x[point]!), this.top(scene.y[point]!)];
        if (areMany) {
          const place = across * Math.floor(top / grain) + Math.floor(left / grain);
          if (drawn[place]) continue;
          drawn[place] = 1;
          context.fillStyle = scene.color(point);
          context.fillRect(left - radius, top - radius, 2 * radius, 2 * radius);
          continue;
        }
        context.fillStyle = scene.color(point);
        context.beginPath();
        context.arc(left, top, radius, 0, 2 * Math.PI);
        context.fill();
        // a pale point on a pale ground has an edge, too
        context.lineWidth = 0.5;
        context.strokeStyle = scene.theme.text;
        context.stroke();
      }
    }
    context.lineWidth = 1;
    context.globalAlpha = 1;
    if (scene.median !== null) this.drawMedian(scene, size.width, scene.median);
    if (scene.offender) this.drawOffender(scene, size.width, scene.offender);
    context.strokeStyle = scene.theme.text;
    if (scene.focus >= 0) context.strokeRect(this.left(scene.x[scene.focus]!) - 5, this.top(scene.y[scene.focus]!) - 5, 10, 10);
    if (this.brush) {
      const { x0, y0, x1, y1 } = this.brush;
      context.strokeStyle = scene.theme.accent;
      context.strokeRect(Math.min(x0, x1), Math.min(y0, y1), Math.abs(x1 - x0), Math.abs(y1 - y0));
    }
  }

  private drawMedian({ theme, formatY }: ScatterScene, width: number, median: number): void {
    const { context } = this;
    const y = Math.round(this.top(median)) + 0.5;
    context.strokeStyle = theme.accent;
    context.setLineDash([4, 3]);
    context.beginPath();
    context.moveTo(margin.left, y);
    context.lineTo(width - margin.right, y);
    context.stroke();
    context.setLineDash([]);
    const text = `median ${formatY(median)}`;
    const long = context.measureText(text).width;
    context.fillStyle = theme.background;
    context.fillRect(width - margin.right - long - 3, y - 15, long + 6, 14);
    context.fillStyle = theme.accent;
    context.fillText(text, width - margin.right - long, y - 8);
  }

  private drawOffender({ x, y, theme }: ScatterScene, width: number, { point, label }: { point: number; label: string }): void {
    const { context } = this;
    const [left, top] = [this.left(x[point]!), this.top(y[point]!)];
    context.lineWidth = 1.5;
    context.strokeStyle = context.fillStyle = theme.text;
    context.beginPath();
    context.arc(left, top, radii[0] + 3, 0, 2 * Math.PI);
    context.stroke();
    context.lineWidth = 1;
    const size = context.measureText(label).width;
    context.fillText(label, left + 12 + size > width ? left - 12 - size : left + 12, top);
  }

  private drawAxes(scene: ScatterScene, { width, height }: { width: number; height: number }): void {
    const { context } = this;
    context.fillStyle = scene.theme.quiet;
    context.strokeStyle = scene.theme.line;
    context.textBaseline = 'middle';
    for (const value of ticks(0, this.extentY.most, 5)) {
      const y = Math.round(this.top(value)) + 0.5;
      context.beginPath();
      context.moveTo(margin.left, y);
      context.lineTo(width - margin.right, y);
      context.stroke();
      const label = scene.formatY(value);
      context.fillText(label, margin.left - 8 - context.measureText(label).width, y);
    }
    let before = '';
    for (const value of ticksOf(this.extentX, scene.xUnit, width)) {
      const x = this.left(value);
      const name = scene.formatX(value);
      // moments that are too close to be told apart
      if (name === before) continue;
      before = name;
      const half = context.measureText(name).width / 2;
      context.fillText(name, Math.min(width - 2 * half - 2, x - half), height - margin.bottom + 10);
    }
    context.fillStyle = scene.theme.text;
    context.fillText(scene.yLabel, 8, 8);
    context.fillText(scene.xLabel, width - margin.right - context.measureText(scene.xLabel).width, height - 8);
  }

  private nearest(event: MouseEvent): number {
    const { scene } = this;
    if (!scene) return -1;
    const box = this.canvas.getBoundingClientRect();
    let found = -1;
    let least = reach * reach;
    for (let point = 0; point < scene.x.length; point++) {
      const dx = this.left(scene.x[point]!) - (event.clientX - box.left);
      const dy = this.top(scene.y[point]!) - (event.clientY - box.top);
      if (dx * dx + dy * dy >= least) continue;
      least = dx * dx + dy * dy;
      found = point;
    }
    return found;
  }

  private inside({ x0, y0, x1, y1 }: Rectangle): number[] {
    const { x, y } = this.scene!;
    const points: number[] = [];
    for (let point = 0; point < x.length; point++) {
      const left = this.left(x[point]!);
      const top = this.top(y[point]!);
      if (left >= Math.min(x0, x1) && left <= Math.max(x0, x1) && top >= Math.min(y0, y1) && top <= Math.max(y0, y1)) points.push(point);
    }
    return points;
  }

  private followPointer(): void {
    const { canvas, signal } = this;
    const placed = (event: PointerEvent) => {
      const box = canvas.getBoundingClientRect();
      return { x: event.clientX - box.left, y: event.clientY - box.top };
    };
    let start: { x: number; y: number } | null = null;
    canvas.addEventListener(
      'pointerdown',
      (event) => {
        if (event.button !== 0) return;
        start = placed(event);
        canvas.setPointerCapture(event.pointerId);
      },
      { signal },
    );
    canvas.addEventListener(
      'pointermove',
      (event) => {
        if (start) {
          const { x, y } = placed(event);
          this.brush = Math.hypot(x - start.x, y - start.y) >= shortestDrag ? { x0: start.x, y0: start.y, x1: x, y1: y } : null;
          this.redraw();
        } else this.events.hover(this.nearest(event), event.clientX, event.clientY);
      },
      { signal },
    );
    canvas.addEventListener(
      'pointerup',
      (event) => {
        const dragged = this.brush;
        if (start && dragged) this.events.brush(this.inside(dragged));
        else if (start) {
          const point = this.nearest(event);
          if (point >= 0) this.events.pick(point);
        }
        start = this.brush = null;
        this.redraw();
      },
      { signal },
    );
    canvas.addEventListener(
      'pointercancel',
      () => {
        start = this.brush = null;
        this.redraw();
      },
      { signal },
    );
    canvas.addEventListener('mouseleave', () => this.events.hover(-1, 0, 0), { signal });
  }
}

/** Round places: of sizes in their own unit. */
export function ticksOf({ least, most }: Extent, unit: ScatterUnit, width: number): number[] {
  if (unit === 'moment') return ticks(least, most, Math.max(1, (width - margin.left) / 100));
  const base = unit === 'bytes' ? 1024 ** Math.floor(Math.log(most) / Math.log(1024)) : 1;
  const wanted = (most - least) / base / 4;
  const power = 10 ** Math.floor(Math.log10(wanted));
  const step = [1, 2, 2.5, 5, 10].find((one) => one * power >= wanted)! * power * base;
  const first = Math.ceil(least / step);
  return Array.from({ length: Math.floor(most / step) - first + 1 }, (_, at) => (first + at) * step);
}
