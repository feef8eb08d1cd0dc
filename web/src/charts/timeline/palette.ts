// SPDX-License-Identifier: Apache-2.0
// Colors that only need to be distinguishable: stages on the timeline, executors in curves.
import { hexOf } from '../flame/colors.ts';

const hues = [245, 60, 165, 350, 100, 300, 20, 200];

/** Text on the light fills is dark, on the dark fills light. */
export function barColor(index: number, dark: boolean): string {
  const turn = Math.floor(index / hues.length) % 2;
  return hexOf({ lightness: (dark ? 0.46 : 0.81) + (turn ? 0.05 : 0), chroma: dark ? 0.09 : 0.085, hue: hues[index % hues.length]! });
}

export function lineColor(index: number, dark: boolean): string {
  const turn = Math.floor(index / hues.length) % 2;
  return hexOf({ lightness: (dark ? 0.74 : 0.52) + (turn ? 0.14 : 0), chroma: 0.13, hue: hues[index % hues.length]! });
}
