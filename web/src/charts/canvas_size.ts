// SPDX-License-Identifier: Apache-2.0

/**
 * Makes the canvas fill its host, in the screen's own pixels, and lets the context draw in CSS pixels. Returns the host's size and
 * whether the canvas changed; null while the host is not visible.
 */
export function fitCanvas(canvas: HTMLCanvasElement, context: CanvasRenderingContext2D, host: HTMLElement) {
  const width = host.clientWidth;
  const height = host.clientHeight;
  if (width === 0 || height === 0) return null;
  const ratio = window.devicePixelRatio || 1;
  const changed = canvas.width !== Math.round(width * ratio) || canvas.height !== Math.round(height * ratio);
  if (changed) {
    canvas.width = Math.round(width * ratio);
    canvas.height = Math.round(height * ratio);
    canvas.style.width = `${width}px`;
    canvas.style.height = `${height}px`;
  }
  context.setTransform(ratio, 0, 0, ratio, 0, 0);
  return { width, height, changed };
}
