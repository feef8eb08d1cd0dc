// SPDX-License-Identifier: Apache-2.0
// Colors of frames, in OKLCH for uniform lightness. Text on them always has a contrast of at least 4.5:1.
import { Kind, Origin } from '../../data/contract.ts';

export type ColorMode = 'kind' | 'package';

export interface FrameColor {
  fill: string;
  text: string;
}

export interface Lch {
  lightness: number;
  chroma: number;
  hue: number;
}

/** One row of the legend: what a frame is to the reader. */
export interface FrameClass {
  id: string;
  label: string;
  /** in the legend above the graph */
  short: string;
  light: Lch;
  dark: Lch;
}

// Hues follow Okabe and Ito. The user's code is the only strong color; everything else stays back.
export const frameClasses: FrameClass[] = [
  { id: 'user', label: 'User’s code', short: 'Yours', light: lch(0.76, 0.165, 55), dark: lch(0.535, 0.14, 48) },
  { id: 'spark', label: 'Spark', short: 'Spark', light: lch(0.83, 0.075, 240), dark: lch(0.43, 0.085, 245) },
  { id: 'jdk', label: 'JDK and Scala', short: 'JDK', light: lch(0.9, 0.012, 250), dark: lch(0.37, 0.014, 250) },
  { id: 'library', label: 'Library', short: 'Library', light: lch(0.86, 0.065, 165), dark: lch(0.42, 0.06, 170) },
  { id: 'python', label: 'Python runtime', short: 'Python', light: lch(0.91, 0.1, 102), dark: lch(0.45, 0.075, 100) },
  { id: 'native', label: 'Native', short: 'Native', light: lch(0.82, 0.03, 75), dark: lch(0.43, 0.03, 75) },
  { id: 'kernel', label: 'Kernel', short: 'Kernel', light: lch(0.8, 0.075, 350), dark: lch(0.42, 0.07, 350) },
  { id: 'vm', label: 'GC, JIT, VM', short: 'GC, JIT', light: lch(0.8, 0.075, 305), dark: lch(0.42, 0.085, 300) },
  { id: 'synthetic', label: 'Synthetic', short: 'Synthetic', light: lch(0.96, 0.005, 250), dark: lch(0.27, 0.008, 250) },
];

function lch(lightness: number, chroma: number, hue: number): Lch {
  return { lightness, chroma, hue };
}

export function classOf(kind: number, origin: number): number {
  if (kind === Kind.Synthetic) return 8;
  if (origin === Origin.User) return 0;
  if (kind === Kind.Kernel) return 6;
  if (origin === Origin.Vm) return 7;
  if (origin === Origin.Spark) return 1;
  if (origin === Origin.PythonRuntime) return 4;
  if (kind === Kind.Native) return 5;
  return origin === Origin.Jdk ? 2 : 3;
}

/** sRGB components 0..1 of an OKLCH color (Björn Ottosson's matrices), clipped to the gamut. */
export function rgbOf({ lightness, chroma, hue }: Lch): [number, number, number] {
  const angle = (hue * Math.PI) / 180;
  const a = chroma * Math.cos(angle);
  const b = chroma * Math.sin(angle);
  const l = (lightness + 0.3963377774 * a + 0.2158037573 * b) ** 3;
  const m = (lightness - 0.1055613458 * a - 0.0638541728 * b) ** 3;
  const s = (lightness - 0.0894841775 * a - 1.291485548 * b) ** 3;
  const gamma = (x: number) => {
    const y = x <= 0.0031308 ? 12.92 * x : 1.055 * x ** (1 / 2.4) - 0.055;
    return Math.min(1, Math.max(0, y));
  };
  return [
    gamma(4.0767416621 * l - 3.3077115913 * m + 0.2309699292 * s),
    gamma(-1.2684380046 * l + 2.6097574011 * m - 0.3413193965 * s),
    gamma(-0.0041960863 * l - 0.7034186147 * m + 1.707614701 * s),
  ];
}

export function hexOf(color: Lch): string {
  return `#${rgbOf(color)
    .map((x) =>
      Math.round(x * 255)
        .toString(16)
        .padStart(2, '0'),
    )
    .join('')}`;
}

function luminance(hex: string): number {
  const [r, g, b] = [1, 3, 5].map((at) => {
    const x = parseInt(hex.slice(at, at + 2), 16) / 255;
    return x <= 0.04045 ? x / 12.92 : ((x + 0.055) / 1.055) ** 2.4;
  }) as [number, number, number];
  return 0.2126 * r + 0.7152 * g + 0.0722 * b;
}

/** WCAG contrast ratio of two #rrggbb colors. */
export function contrast(first: string, second: string): number {
  const a = luminance(first);
  const b = luminance(second);
  return (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
}

function withText(fill: string): FrameColor {
  const dark = '#14171a';
  const light = '#f7f8fa';
  return { fill, text: contrast(fill, dark) >= contrast(fill, light) ? dark : light };
}

/** A small stable number for a text (FNV-1a). */
export function hashOf(text: string): number {
  let hash = 0x811c9dc5;
  for (let i = 0; i < text.length; i++) hash = Math.imul(hash ^ text.charCodeAt(i), 0x01000193);
  return hash >>> 0;
}

/** The package of a Java name or the module of a Python name: all before the class or function. */
export function packageOf(name: string): string {
  const bracket = name.indexOf('(');
  const end = bracket < 0 ? name.length : bracket;
  let last = 0;
  for (let i = 0; i < end; i++) {
    const code = name.charCodeAt(i);
    if (code !== 46 && code !== 47) continue;
    last = i;
    const next = name.charCodeAt(i + 1);
    // a class starts with a capital letter
    if (next >= 65 && next <= 90) break;
  }
  return name.slice(0, last);
}

/** Fill and text color of each function. */
export function functionColors(names: string[], kinds: Uint8Array, origins: Uint8Array, mode: ColorMode, darkTheme: boolean): FrameColor[] {
  const known = new Map<string, FrameColor>();
  return names.map((name, i) => {
    const hash = hashOf(packageOf(name));
    const shade = (hash % 5) - 2;
    const type = classOf(kinds[i]!, origins[i]!);
    const key = mode === 'kind' ? `${type}/${shade}` : `p${hash % 360}/${shade}`;
    let color = known.get(key);
    if (!color) {
      const base = mode === 'kind' ? frameClasses[type]![darkTheme ? 'dark' : 'light'] : lch(darkTheme ? 0.44 : 0.84, 0.07, hash % 360);
      color = withText(hexOf({ ...base, lightness: base.lightness + shade * (darkTheme ? 0.013 : 0.012) }));
      known.set(key, color);
    }
    return color;
  });
}

/** Blue (less) over grey (the same) to orange (more), for a change from -1 to 1. */
export function changeColor(change: number, darkTheme: boolean): FrameColor {
  const strength = Math.min(1, Math.abs(change));
  const step = strength < 0.04 ? 0 : Math.ceil(strength * 6) / 6;
  const hue = change > 0 ? 55 : 250;
  return withText(hexOf(darkTheme ? lch(0.34 + 0.2 * step, 0.012 + 0.125 * step, hue) : lch(0.91 - 0.2 * step, 0.008 + 0.14 * step, hue)));
}
