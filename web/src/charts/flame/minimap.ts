// SPDX-License-Identifier: Apache-2.0
// The whole flame graph in a corner, with what is in sight framed. Knows no framework.
import type { FlameLayout } from '../../analysis/flame/flame_layout.ts';
import type { FlameScene } from './flame_scene.ts';

const [width, height] = [220, 72];

/** The frame at a place of the map; -1 for none. */
function rowAt({ start, total, next, depth, count }: FlameLayout, x: number, wanted: number): number {
  const weight = (x / width) * total[0]!;
  let row = 0;
  while (depth[row]! < wanted) {
    let child = row + 1;
    while (child < next[row]! && start[child]! + total[child]! <= weight) child = next[child]!;
    if (child >= next[row]! || child >= count) return row;
    row = child;
  }
  return row;
}

export class Minimap {
  readonly canvas = document.createElement('canvas');
  private readonly context: CanvasRenderingContext2D;
  private picture: ImageData | null = null;
  private drawnOf: { layout: unknown; deepest: number; colorOf: unknown } | null = null;
  private scene: FlameScene | null = null;
  private deepest = 0;

  constructor(host: HTMLElement, zoom: (row: number) => void) {
    const ratio = window.devicePixelRatio || 1;
    this.canvas.width = width * ratio;
    this.canvas.height = height * ratio;
    this.canvas.className = 'flame-minimap';
    this.canvas.setAttribute('aria-hidden', 'true');
    this.canvas.title = 'The whole graph; click to zoom there';
    this.context = this.canvas.getContext('2d', { willReadFrequently: true })!;
    this.context.scale(ratio, ratio);
    host.append(this.canvas);
    this.canvas.addEventListener('click', (event) => {
      const { scene } = this;
      if (!scene) return;
      const depth = Math.floor((event.offsetY / height) * (this.deepest + 1));
      zoom(rowAt(scene.layout, event.offsetX, scene.flames ? this.deepest - depth : depth));
    });
  }

  /** `deepest`: of all frames that are drawn; `from` and `to`: the depths in sight. Hidden where all is. */
  show(scene: FlameScene, deepest: number, from: number, to: number): void {
    const { layout, zoom } = scene;
    const isWhole = zoom === 0 && from <= 0 && to >= deepest;
    this.canvas.hidden = isWhole;
    this.scene = scene;
    this.deepest = deepest;
    if (isWhole) return;
    const { context } = this;
    if (this.drawnOf?.layout !== layout || this.drawnOf.deepest !== deepest || this.drawnOf.colorOf !== scene.colorOf || !this.picture) {
      this.drawAll(scene);
      this.picture = context.getImageData(0, 0, this.canvas.width, this.canvas.height);
      this.drawnOf = { layout, deepest, colorOf: scene.colorOf };
    }
    context.putImageData(this.picture, 0, 0);
    const scale = width / (layout.total[0]! || 1);
    const row = height / (deepest + 1);
    const top = scene.flames ? height - (Math.min(to, deepest) + 1) * row : Math.max(0, from) * row;
    context.strokeStyle = scene.theme.outline;
    context.strokeRect(
      layout.start[zoom]! * scale + 0.5,
      top + 0.5,
      Math.max(2, layout.total[zoom]! * scale - 1),
      Math.max(2, (Math.min(to, deepest) - Math.max(0, from) + 1) * row - 1),
    );
  }

  private drawAll({ layout, colorOf, theme, flames, closed }: FlameScene): void {
    const { context } = this;
    const { start, total, next, depth } = layout;
    context.fillStyle = theme.background;
    context.fillRect(0, 0, width, height);
    const scale = width / (total[0]! || 1);
    const step = height / (this.deepest + 1);
    for (let row = 0; row < layout.count; ) {
      const w = total[row]! * scale;
      if (w < 0.5) {
        row = next[row]!;
        continue;
      }
      context.fillStyle = colorOf(row).fill;
      context.fillRect(start[row]! * scale, flames ? height - (depth[row]! + 1) * step : depth[row]! * step, w, Math.max(1, step));
      row = closed(layout.label[row]!) ? next[row]! : row + 1;
    }
  }
}
