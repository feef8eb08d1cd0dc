// SPDX-License-Identifier: Apache-2.0
// The flame graph on a canvas. Knows no framework: it gets a layout and callbacks, and draws what is visible.
import { CanvasChart, fontFamily } from '../canvas_chart.ts';
import type { FlameScene } from './flame_scene.ts';
import { LabelFitter } from './labels.ts';

export const rowHeight = 19;
/** Frames narrower than this many pixels are not drawn, but counted. */
const minimumWidth = 0.5;
const font = `12px ${fontFamily}`;

export interface FlameEvents {
  hover(row: number, x: number, y: number): void;
  pick(row: number): void;
  zoom(row: number): void;
  menu(row: number, x: number, y: number): void;
}

/** `fits`: all rows are in sight without scrolling */
export interface DrawResult {
  drawn: number;
  skipped: number;
  milliseconds: number;
  fits: boolean;
}

export class FlameCanvas extends CanvasChart<FlameScene> {
  private readonly spacer = document.createElement('div');
  private fitter: LabelFitter | null = null;
  private depthOf: { layout: unknown; zoom: number; closed: unknown; depth: number } | null = null;
  private hovered = -1;
  private firstDraw = true;
  /** the root, or what follows the stem, stays in sight until the user scrolls */
  private atRoot = true;
  lastDraw: DrawResult = { drawn: 0, skipped: 0, milliseconds: 0, fits: true };

  /** `host` scrolls vertically; the canvas covers its visible part only. */
  constructor(
    host: HTMLElement,
    private readonly events: FlameEvents,
    private readonly afterDraw: (result: DrawResult) => void = () => {},
  ) {
    super(host, 'flame-canvas');
    this.spacer.className = 'flame-spacer';
    host.append(this.spacer);
    host.addEventListener(
      'scroll',
      () => {
        this.atRoot = Math.abs(host.scrollTop - this.stemTop()) < 2;
        this.redraw();
      },
      { passive: true, signal: this.signal },
    );
    this.canvas.addEventListener('mousemove', (e) => this.onMove(e));
    this.canvas.addEventListener('mouseleave', () => this.setHover(-1, 0, 0));
    this.canvas.addEventListener('click', (e) => {
      const row = this.rowAt(e);
      if (row >= 0) {
        events.pick(row);
        events.zoom(row);
      }
    });
    this.canvas.addEventListener('contextmenu', (e) => {
      const row = this.rowAt(e);
      if (row < 0) return;
      e.preventDefault();
      events.menu(row, e.clientX, e.clientY);
    });
  }

  override show(scene: FlameScene): void {
    const before = this.scene;
    if (before?.layout !== scene.layout) this.fitter = null;
    const turned = !before || before.flames !== scene.flames || before.layout !== scene.layout || before.stem !== scene.stem;
    this.scene = scene;
    // other frames come under the pointer, which need not move
    if (turned || before.zoom !== scene.zoom) this.setHover(-1, 0, 0);
    const height = (this.deepest(scene) + 1) * rowHeight + 1;
    this.spacer.style.height = `${Math.max(0, height - this.host.clientHeight)}px`;
    if (turned) {
      this.atRoot = true;
      this.scrollToStem();
    } else if (before.zoom !== scene.zoom) {
      this.reveal(scene.zoom);
    }
    if (this.firstDraw) {
      this.firstDraw = false;
      this.draw();
    } else {
      this.redraw();
    }
  }

  private scrollToStem(): void {
    this.host.scrollTop = this.stemTop();
  }

  /** Where the frame below the stem is the first, or the lowest, in sight. */
  private stemTop(): number {
    if (!this.scene) return 0;
    const { flames, stem } = this.scene;
    const farthest = this.host.scrollHeight - this.host.clientHeight;
    return Math.max(0, Math.min(farthest, flames ? farthest - stem * rowHeight : stem * rowHeight));
  }

  /** Scrolls so that `row` can be seen. */
  reveal(row: number): void {
    if (!this.scene) return;
    const top = this.topOf(this.scene.layout.depth[row]!) + this.host.scrollTop;
    const height = this.host.clientHeight;
    if (top < this.host.scrollTop) this.host.scrollTop = top;
    else if (top + rowHeight > this.host.scrollTop + height) this.host.scrollTop = top + rowHeight - height;
  }

  /** Draws immediately and returns the counts; use `redraw` except for measurements. */
  draw(): DrawResult {
    const { scene, context } = this;
    if (!scene) return this.lastDraw;
    const began = performance.now();
    const size = this.fit();
    if (!size) return this.lastDraw;
    const { width, height } = size;
    if (size.changed) {
      const content = (this.deepest(scene) + 1) * rowHeight + 1;
      this.spacer.style.height = `${Math.max(0, content - height)}px`;
      if (this.atRoot) this.scrollToStem();
    }
    context.font = font;
    context.textBaseline = 'middle';
    context.fillStyle = scene.theme.background;
    context.fillRect(0, 0, width, height);
    this.fitter ??= new LabelFitter(context, scene.nameOf);
    const counts = this.drawFrames(scene, width, height);
    this.lastDraw = { ...counts, milliseconds: performance.now() - began, fits: (this.deepest(scene) + 1) * rowHeight + 1 <= height };
    this.afterDraw(this.lastDraw);
    return this.lastDraw;
  }

  /** The depth of the lowest frame that is not inside a closed one. */
  private deepest(scene: FlameScene): number {
    const { layout, zoom, closed } = scene;
    if (this.depthOf?.layout === layout && this.depthOf.zoom === zoom && this.depthOf.closed === closed) return this.depthOf.depth;
    const { depth, next, label } = layout;
    let hidden = false;
    for (let row = 1; row < layout.count; row = next[row]!) hidden ||= closed(label[row]!);
    let most = hidden ? 0 : layout.maxDepth;
    for (let row = 0; hidden && row < layout.count; ) {
      if (depth[row]! > most) most = depth[row]!;
      const around = row <= zoom && zoom < next[row]!;
      row = row > 0 && !around && closed(label[row]!) ? next[row]! : row + 1;
    }
    this.depthOf = { layout, zoom, closed, depth: most };
    return most;
  }

  private drawFrames(scene: FlameScene, width: number, height: number) {
    const { layout, zoom } = scene;
    const { start, total, next, depth, parent } = layout;
    // asked once: the browser computes where the page is scrolled to each time
    const first = this.topOf(0);
    const step = scene.flames ? -rowHeight : rowHeight;
    const scale = width / (total[zoom]! || 1);
    const origin = start[zoom]!;
    let drawn = 0;
    let skipped = 0;
    for (let row = parent[zoom]!; row >= 0; row = parent[row]!) {
      this.drawFrame(scene, row, 0, width, first + step * depth[row]!, height, true);
      drawn++;
    }
    for (let row = zoom; row < next[zoom]!; ) {
      const w = total[row]! * scale;
      if (w < minimumWidth) {
        // siblings are sorted by width, so all following ones under this parent are too narrow as well; not those in order of time
        const after = row === zoom || layout.byTime || parent[row] === 0 ? next[row]! : next[parent[row]!]!;
        skipped += after - row;
        row = after;
        continue;
      }
      this.drawFrame(scene, row, (start[row]! - origin) * scale, w, first + step * depth[row]!, height, false);
      drawn++;
      row = row !== zoom && scene.closed(layout.label[row]!) ? next[row]! : row + 1;
    }
    return { drawn, skipped };
  }

  private drawFrame(scene: FlameScene, row: number, x: number, w: number, top: number, height: number, above: boolean) {
    if (top + rowHeight < 0 || top > height) return;
    const { context } = this;
    const label = scene.layout.label[row]!;
    const { matches, theme } = scene;
    let { fill, text } = scene.colorOf(row);
    if (matches ? !matches[label] || row === 0 : above || scene.faded(label)) {
      fill = theme.faded;
      text = theme.fadedText;
    }
    const gap = w > 3 ? 1 : 0;
    context.fillStyle = fill;
    context.fillRect(x, top, w - gap, rowHeight - 1);
    if (w > 8 && scene.synthetic(label)) {
      context.strokeStyle = theme.hatch;
      context.setLineDash([3, 2]);
      context.lineWidth = 1;
      context.strokeRect(x + 0.5, top + 0.5, w - gap - 1, rowHeight - 2);
      context.setLineDash([]);
    }
    if (matches?.[label] && row !== 0 && w > 2) {
      context.fillStyle = theme.match;
      context.fillRect(x, top + rowHeight - 3, w - gap, 2);
    }
    if (row === scene.selected || row === this.hovered) {
      context.strokeStyle = theme.outline;
      context.lineWidth = row === scene.selected ? 2 : 1;
      const inset = context.lineWidth / 2;
      context.strokeRect(x + inset, top + inset, Math.max(1, w - gap - 2 * inset), rowHeight - 1 - 2 * inset);
    }
    if (w > 24) {
      const shown = this.fitter!.fit(label, w - gap - 8);
      if (shown) {
        context.fillStyle = text;
        context.fillText(shown, x + 4, top + rowHeight / 2);
      }
    }
  }

  /** y of a depth on the canvas. */
  private topOf(depth: number): number {
    const { flames } = this.scene!;
    if (!flames) return depth * rowHeight - this.host.scrollTop;
    const content = Math.max((this.deepest(this.scene!) + 1) * rowHeight + 1, this.host.clientHeight);
    return content - (depth + 1) * rowHeight - this.host.scrollTop;
  }

  /** The frame under the pointer, -1 for none. */
  private rowAt(event: MouseEvent): number {
    const { scene } = this;
    if (!scene) return -1;
    const box = this.canvas.getBoundingClientRect();
    return this.rowAtPoint(event.clientX - box.left, event.clientY - box.top, box.width);
  }

  rowAtPoint(x: number, y: number, width: number): number {
    const { layout, zoom, flames } = this.scene!;
    const { start, total, next, parent, depth } = layout;
    const first = this.topOf(0);
    const wanted = flames ? Math.floor((first + rowHeight - y) / rowHeight) : Math.floor((y - first) / rowHeight);
    if (wanted < 0) return -1;
    let row = zoom;
    if (wanted <= depth[zoom]!) {
      while (depth[row]! > wanted) row = parent[row]!;
      return row;
    }
    const scale = width / (total[zoom]! || 1);
    const weight = start[zoom]! + x / scale;
    while (depth[row]! < wanted) {
      if (row !== zoom && this.scene!.closed(layout.label[row]!)) return -1;
      const end = next[row]!;
      let child = row + 1;
      while (child < end && start[child]! + total[child]! <= weight) child = next[child]!;
      if (child >= end || start[child]! > weight || total[child]! * scale < minimumWidth) return -1;
      row = child;
    }
    return row;
  }

  private onMove(event: MouseEvent): void {
    const row = this.rowAt(event);
    this.canvas.style.cursor = row >= 0 ? 'pointer' : 'default';
    this.setHover(row, event.clientX, event.clientY);
  }

  private setHover(row: number, x: number, y: number): void {
    if (row !== this.hovered) {
      this.hovered = row;
      this.redraw();
    }
    this.events.hover(row, x, y);
  }
}
