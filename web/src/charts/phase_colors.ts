// SPDX-License-Identifier: Apache-2.0
// One color for each thing that time goes to, the same in every chart and for frames of that kind. Neighbors in a stack differ in
// lightness too, so that they can be told apart without their hue.
import { frameClasses, hexOf, type Lch } from './flame/colors.ts';

const frames = (id: string) => {
  const { light, dark } = frameClasses.find((one) => one.id === id)!;
  return { light, dark };
};
const pair = (light: Lch, dark: Lch) => ({ light, dark });
const lch = (lightness: number, chroma: number, hue: number): Lch => ({ lightness, chroma, hue });

const colors: Record<string, { light: Lch; dark: Lch }> = {
  jvm: pair(lch(0.68, 0.12, 158), lch(0.6, 0.11, 158)),
  engine: pair(lch(0.52, 0.1, 190), lch(0.42, 0.085, 190)),
  python: pair(lch(0.84, 0.15, 95), lch(0.74, 0.13, 95)),
  pythonWait: pair(lch(0.93, 0.07, 100), lch(0.46, 0.06, 100)),
  cpuWait: pair(lch(0.66, 0.17, 35), lch(0.6, 0.15, 35)),
  gc: pair(lch(0.5, 0.15, 305), lch(0.66, 0.13, 305)),
  fetch: pair(lch(0.58, 0.13, 250), lch(0.56, 0.12, 250)),
  write: pair(lch(0.76, 0.09, 235), lch(0.68, 0.09, 235)),
  lock: pair(lch(0.7, 0.13, 350), lch(0.62, 0.12, 350)),
  other: pair(lch(0.78, 0.03, 75), lch(0.5, 0.025, 75)),
  deserialize: pair(lch(0.72, 0.05, 200), lch(0.52, 0.05, 200)),
  result: pair(lch(0.82, 0.05, 200), lch(0.44, 0.045, 200)),
  scheduler: pair(lch(0.88, 0.01, 250), lch(0.58, 0.015, 250)),
  // the driver's, told apart by their shade of gray
  startUp: pair(lch(0.84, 0.01, 250), lch(0.4, 0.014, 250)),
  executorWait: pair(lch(0.9, 0.008, 250), lch(0.34, 0.012, 250)),
  program: pair(lch(0.62, 0.012, 250), lch(0.62, 0.014, 250)),
  planning: pair(lch(0.73, 0.012, 250), lch(0.51, 0.014, 250)),
  sink: pair(lch(0.67, 0.05, 300), lch(0.56, 0.05, 300)),
  job: pair(lch(0.56, 0.012, 250), lch(0.68, 0.014, 250)),
  pause: pair(lch(0.93, 0.006, 250), lch(0.3, 0.01, 250)),
  shutdown: pair(lch(0.79, 0.012, 250), lch(0.45, 0.014, 250)),
  unknown: pair(lch(0.88, 0.006, 250), lch(0.33, 0.01, 250)),
  /** stages that the page does not have */
  stage: pair(lch(0.88, 0.04, 250), lch(0.38, 0.05, 250)),
  /** CPU time outside of tasks and the driver's program */
  background: pair(lch(0.74, 0.06, 20), lch(0.52, 0.06, 20)),
  idle: pair(lch(0.93, 0.006, 250), lch(0.3, 0.01, 250)),
  user: frames('user'),
};

/** Hex colors that were asked for: a chart asks for each of its points. */
const known = new Map<string, string>();

/** For areas and marks; text stands beside it. */
export function phaseColor(id: string, dark: boolean): string {
  const key = `${id}/${dark}`;
  let color = known.get(key);
  if (!color) known.set(key, (color = hexOf((colors[id] ?? colors.other!)[dark ? 'dark' : 'light'])));
  return color;
}

/** The phase that a part of the core time is; the names are those of the command. */
const ofCoreTime: [RegExp, string][] = [
  [/^JVM CPU/, 'jvm'],
  [/^Python/, 'python'],
  [/^Native engine/, 'engine'],
  [/^GC/, 'gc'],
  [/^Shuffle/, 'fetch'],
  [/^Scheduler/, 'scheduler'],
  [/^Serialization/, 'result'],
  [/locks/, 'lock'],
  [/for a CPU/, 'cpuWait'],
  [/^Idle/, 'idle'],
];

export const phaseOfCoreTime = (name: string): string => ofCoreTime.find(([pattern]) => pattern.test(name))?.[1] ?? 'other';
