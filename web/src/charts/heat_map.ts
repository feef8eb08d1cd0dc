// SPDX-License-Identifier: Apache-2.0
// Cells of columns and rows on a canvas; a drag over them is a range. Knows no framework.
import { CanvasChart, smallFont } from './canvas_chart.ts';
import { cutMiddle } from './cut_middle.ts';

export interface HeatTheme {
  background: string;
  line: string;
  quiet: string;
  picked: string;
  base: string;
  heat(share: number): string;
}

export interface HeatScene {
  columns: number;
  rows: string[];
  /** 0 to 1 */
  heatOf(column: number, row: number): number;
  /** rows of a column that are chosen, the end excluded; null: none */
  picked(column: number): { first: number; end: number } | null;
  /** likewise, of the baseline */
  base(column: number): { first: number; end: number } | null;
  /** column and text, left to right */
  ticks: { column: number; text: string }[];
  theme: HeatTheme;
}

export interface HeatEvents {
  hover(column: number, row: number, x: number, y: number): void;
  leave(): void;
  /** between two cells, in any order; `done` when the button is up; `base`: with the shift key */
  drag(from: { column: number; row: number }, to: { column: number; row: number }, base: boolean, done: boolean): void;
}

const below = 18;
/** px between the names of rows */
const nameHeight = 13;
const charWidth = 6;

export class HeatCanvas extends CanvasChart<HeatScene> {
  private left = 0;

  constructor(
    host: HTMLElement,
    private readonly events: HeatEvents,
  ) {
    super(host, '');
    this.followPointer();
  }

  draw(): void {
    const { scene, context } = this;
    const size = scene && this.fit();
    if (!size) return;
    const { columns, rows, theme } = scene;
    const longest = rows.reduce((most, name) => Math.max(most, name.length), 0);
    this.left = Math.min(size.width * 0.25, longest * charWidth + 12);
    const cellWidth = (size.width - this.left) / columns;
    const cellHeight = (size.height - below) / rows.length;
    context.font = smallFont;
    context.fillStyle = theme.background;
    context.fillRect(0, 0, size.width, size.height);
    const gapX = cellWidth > 4 ? 1 : 0;
    const gapY = cellHeight > 4 ? 1 : 0;
    for (let column = 0; column < columns; column++) {
      const x = this.left + column * cellWidth;
      for (let row = 0; row < rows.length; row++) {
        const heat = scene.heatOf(column, row);
        if (heat <= 0) continue;
        context.fillStyle = theme.heat(heat);
        context.fillRect(x, row * cellHeight, Math.max(1, cellWidth - gapX), Math.max(1, cellHeight - gapY));
      }
      this.mark(scene.base(column), x, cellWidth, cellHeight, theme.base);
      this.mark(scene.picked(column), x, cellWidth, cellHeight, theme.picked);
    }
    context.fillStyle = theme.quiet;
    context.textBaseline = 'middle';
    context.textAlign = 'right';
    const every = Math.max(1, Math.ceil(nameHeight / cellHeight));
    for (let row = 0; row < rows.length; row += every) {
      context.fillText(
        cutMiddle(rows[row]!, Math.floor((this.left - 8) / charWidth)),
        this.left - 6,
        Math.min((row + 0.5) * cellHeight, size.height - below - 4),
      );
    }
    context.textAlign = 'left';
    for (const { column, text } of scene.ticks) context.fillText(text, this.left + column * cellWidth, size.height - below / 2);
  }

  private mark(rows: { first: number; end: number } | null, x: number, width: number, height: number, color: string): void {
    if (!rows) return;
    const { context } = this;
    context.fillStyle = color;
    context.globalAlpha = 0.25;
    context.fillRect(x, rows.first * height, width, (rows.end - rows.first) * height);
    context.globalAlpha = 1;
    context.fillRect(x, rows.first * height, width, 2);
    context.fillRect(x, rows.end * height - 2, width, 2);
  }

  private cellAt(event: MouseEvent): { column: number; row: number } {
    const box = this.canvas.getBoundingClientRect();
    const { columns, rows } = this.scene!;
    const place = (at: number, of: number, count: number) => Math.max(0, Math.min(count - 1, Math.floor((at / of) * count)));
    return {
      column: place(event.clientX - box.left - this.left, box.width - this.left, columns),
      row: place(event.clientY - box.top, box.height - below, rows.length),
    };
  }

  private followPointer(): void {
    const { signal } = this;
    let first: { column: number; row: number } | null = null;
    let base = false;
    this.canvas.addEventListener(
      'mousedown',
      (event) => {
        if (event.button !== 0 || !this.scene) return;
        event.preventDefault();
        this.host.focus();
        first = this.cellAt(event);
        base = event.shiftKey;
      },
      { signal },
    );
    window.addEventListener(
      'mousemove',
      (event) => {
        if (!this.scene) return;
        if (first) this.events.drag(first, this.cellAt(event), base, false);
        else if (event.target === this.canvas) {
          const { column, row } = this.cellAt(event);
          this.events.hover(column, row, event.clientX, event.clientY);
        }
      },
      { signal },
    );
    window.addEventListener(
      'mouseup',
      (event) => {
        if (!first || !this.scene) return;
        this.events.drag(first, this.cellAt(event), base, true);
        first = null;
      },
      { signal },
    );
    this.canvas.addEventListener('mouseleave', () => this.events.leave(), { signal });
  }
}
