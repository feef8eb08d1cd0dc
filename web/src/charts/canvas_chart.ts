// SPDX-License-Identifier: Apache-2.0
// The base of all charts on a canvas: they fill their host, are drawn at most once for each picture of the screen, and leave nothing behind.

export const fontFamily = 'system-ui, sans-serif';
export const smallFont = `11px ${fontFamily}`;

export abstract class CanvasChart<Scene> {
  readonly canvas = document.createElement('canvas');
  protected readonly context: CanvasRenderingContext2D;
  /** of the listeners, which end with the chart */
  protected readonly signal: AbortSignal;
  protected scene: Scene | null = null;
  private readonly controller = new AbortController();
  /** of the host when it was drawn, in CSS pixels */
  protected size = { width: 0, height: 0 };
  private readonly observer = new ResizeObserver(() => {
    // its first report is of the size that is drawn
    const { clientWidth, clientHeight } = this.host;
    if (clientWidth !== this.size.width || clientHeight !== this.size.height) this.redraw();
  });
  private pending = 0;

  constructor(
    protected readonly host: HTMLElement,
    className: string,
    alpha = false,
  ) {
    this.signal = this.controller.signal;
    this.context = this.canvas.getContext('2d', { alpha })!;
    this.canvas.className = className;
    this.canvas.setAttribute('aria-hidden', 'true');
    // a click before the first drawing is at the time and bar that will be there
    this.canvas.style.cssText = 'width:100%;height:100%';
    host.append(this.canvas);
    this.observer.observe(host);
  }

  destroy(): void {
    this.observer.disconnect();
    this.controller.abort();
    cancelAnimationFrame(this.pending);
    this.host.replaceChildren();
  }

  show(scene: Scene): void {
    this.scene = scene;
    this.redraw();
  }

  redraw(): void {
    this.pending ||= requestAnimationFrame(() => {
      this.pending = 0;
      this.draw();
    });
  }

  abstract draw(): unknown;

  /**
   * Makes the canvas fill its host, in the screen's own pixels, and lets the context draw in CSS pixels. Returns the host's size and
   * whether the canvas changed; null while the host is not visible.
   */
  protected fit() {
    const { canvas, host } = this;
    const { clientWidth: width, clientHeight: height } = host;
    this.size = { width, height };
    if (width === 0 || height === 0) return null;
    const ratio = window.devicePixelRatio || 1;
    const [across, down] = [Math.round(width * ratio), Math.round(height * ratio)];
    const changed = canvas.width !== across || canvas.height !== down;
    if (changed) {
      canvas.width = across;
      canvas.height = down;
      canvas.style.width = `${width}px`;
      canvas.style.height = `${height}px`;
    }
    this.context.setTransform(ratio, 0, 0, ratio, 0, 0);
    return { width, height, changed };
  }
}
