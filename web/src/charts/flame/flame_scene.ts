// SPDX-License-Identifier: Apache-2.0
// What is drawn of a flame graph.
import type { FlameLayout } from '../../analysis/flame/flame_layout.ts';
import type { FrameColor } from './colors.ts';

export interface FlameTheme {
  background: string;
  faded: string;
  fadedText: string;
  outline: string;
  hatch: string;
  match: string;
}

export interface FlameScene {
  layout: FlameLayout;
  nameOf(label: number): string;
  colorOf(row: number): FrameColor;
  theme: FlameTheme;
  /** true: the root below, as flames; false: the root above, as icicles */
  flames: boolean;
  zoom: number;
  /** frames below the root that are out of sight at first */
  stem: number;
  selected: number;
  /** one byte a label, or null when nothing is searched for */
  matches: Uint8Array | null;
  /** labels drawn with a dashed border, for frames that are not real code */
  synthetic(label: number): boolean;
  /** labels whose callees are drawn only when one zooms into them */
  closed(label: number): boolean;
  /** labels that stay back, beside those of a search */
  faded(label: number): boolean;
}
