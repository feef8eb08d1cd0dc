// SPDX-License-Identifier: Apache-2.0
// One small line chart over time, drawn by uPlot, on the same time axis as the lanes.
import uPlot from 'uplot';
import 'uplot/dist/uPlot.min.css';
import { gutter } from '../timeline/lanes.ts';
import { followPointer, type TimeEvents, type TimeWindow } from '../timeline/pointer.ts';
import { ticks } from '../timeline/scale.ts';

export interface CurveLine {
  label: string; colour: string; dashed: boolean;
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
  format(value: number): string;
  theme: { line: string; quiet: string; veil: string; accent: string; mark: string };
}

export interface CurveEvents extends TimeEvents {
  /** index into the data, -1 for none */
  hover(index: number, x: number, y: number): void;
}

export const curveHeight = 46;

export class Curve {
  private plot: uPlot | null = null;
  private scene: CurveScene | null = null;
  private dragged: TimeWindow | null = null;
  private stopPointer: () => void = () => {};
  private readonly observer: ResizeObserver;

  constructor(private readonly host: HTMLElement, private readonly events: CurveEvents, private readonly syncKey: string,
    private readonly height = curveHeight) {
    this.observer = new ResizeObserver(() => this.plot?.setSize({ width: host.clientWidth, height: this.height }));
    this.observer.observe(host);
  }

  destroy(): void {
    this.observer.disconnect();
    this.stopPointer();
    this.plot?.destroy();
    this.plot = null;
  }

  show(scene: CurveScene): void {
    const before = this.scene;
    this.scene = scene;
    const same = this.plot && before && before.data === scene.data && before.boundaries === scene.boundaries && before.theme === scene.theme && before.lines === scene.lines;
    if (!same) this.rebuild(scene);
    else if (before.window.from !== scene.window.from || before.window.to !== scene.window.to) {
      this.plot!.setScale('x', { min: scene.window.from, max: scene.window.to });
    } else {
      this.plot!.redraw(false);
    }
  }

  private rebuild(scene: CurveScene): void {
    this.stopPointer();
    this.plot?.destroy();
    const { theme } = scene;
    const font = '11px system-ui, sans-serif';
    const plot = new uPlot({
      width: Math.max(gutter + 20, this.host.clientWidth), height: this.height, padding: [5, 0, 3, 0], legend: { show: false },
      scales: {
        x: { time: false, auto: false, range: () => [this.scene!.window.from, this.scene!.window.to] },
        y: { range: (_plot, _min, max) => [0, max > 0 ? max * 1.08 : 1] },
      },
      axes: [
        { show: false, grid: { show: false } },
        {
          size: gutter, gap: 6, stroke: theme.quiet, font, grid: { stroke: theme.line, width: 1 }, ticks: { show: false },
          splits: (_plot, _axis, _min, max) => [0, max / 1.08],
          values: (_plot, splits) => splits.map((value, i) => (i === 0 ? '' : scene.format(value))),
        },
      ],
      series: [{}, ...scene.lines.map((line): uPlot.Series => ({
        label: line.label, stroke: line.colour, fill: line.fill, width: 1.25, dash: line.dashed ? [3, 3] : undefined, points: { show: false }, spanGaps: true,
        paths: line.steps ? uPlot.paths.stepped!({ align: 1 }) : undefined,
      }))],
      cursor: {
        y: false, drag: { x: false, y: false, setScale: false }, sync: { key: this.syncKey }, points: { size: 5 },
        bind: { dblclick: () => null, mousedown: () => null, mouseup: () => null },
      },
      hooks: {
        drawAxes: [(u) => this.drawGrid(u), (u) => this.drawBoundaries(u)],
        draw: [(u) => this.drawRange(u), (u) => this.drawMoment(u)],
        setCursor: [(u) => {
          // synchronized charts get the same event; only the one under the pointer reports it
          if (!u.root.matches(':hover')) return;
          const box = u.over.getBoundingClientRect();
          this.events.hover(u.cursor.idx ?? -1, box.left + (u.cursor.left ?? 0), box.top + (u.cursor.top ?? 0));
        }],
      },
    }, scene.data as uPlot.AlignedData, this.host);
    plot.over.addEventListener('mouseleave', () => this.events.hover(-1, 0, 0));
    this.stopPointer = followPointer(plot.over, (clientX) => plot.posToVal(clientX - plot.over.getBoundingClientRect().left, 'x'),
      () => ({ window: this.scene!.window, whole: this.scene!.whole }), this.events,
      (range) => { this.dragged = range; plot.redraw(false); },
      (event) => this.events.moment(plot.posToVal(event.clientX - plot.over.getBoundingClientRect().left, 'x')));
    this.plot = plot;
  }

  private drawGrid(plot: uPlot): void {
    const { ctx, bbox } = plot;
    const { window: { from, to }, theme } = this.scene!;
    const ratio = window.devicePixelRatio || 1;
    ctx.fillStyle = theme.line;
    for (const at of ticks(from, to, bbox.width / ratio / 90)) {
      ctx.fillRect(Math.round(plot.valToPos(at, 'x', true)), bbox.top, 1, bbox.height);
    }
  }

  private drawBoundaries(plot: uPlot): void {
    const { boundaries, window: { from, to }, theme } = this.scene!;
    if (!boundaries) return;
    const { ctx, bbox } = plot;
    ctx.fillStyle = theme.quiet;
    let last = -1;
    for (let i = 0; i < boundaries.length; i++) {
      const at = boundaries[i]!;
      if (at < from || at > to) continue;
      const x = Math.round(plot.valToPos(at, 'x', true));
      if (x === last) continue;
      last = x;
      ctx.fillRect(x, bbox.top, 1, bbox.height);
    }
  }

  private drawMoment(plot: uPlot): void {
    const { moment, window: { from, to }, theme } = this.scene!;
    if (moment === null || moment < from || moment > to) return;
    const { ctx } = plot;
    ctx.fillStyle = theme.mark;
    ctx.fillRect(Math.round(plot.valToPos(moment, 'x', true)), 0, 1, ctx.canvas.height);
  }

  private drawRange(plot: uPlot): void {
    const range = this.dragged ?? this.scene?.range;
    if (!range) return;
    const { ctx, bbox } = plot;
    const from = Math.max(bbox.left, plot.valToPos(range.from, 'x', true));
    const to = Math.min(bbox.left + bbox.width, plot.valToPos(range.to, 'x', true));
    ctx.fillStyle = this.scene!.theme.veil;
    ctx.fillRect(bbox.left, 0, Math.max(0, from - bbox.left), ctx.canvas.height);
    ctx.fillRect(to, 0, Math.max(0, bbox.left + bbox.width - to), ctx.canvas.height);
    ctx.fillStyle = this.scene!.theme.accent;
    ctx.fillRect(from - 1, 0, 1, ctx.canvas.height);
    ctx.fillRect(to, 0, 1, ctx.canvas.height);
  }
}
