// SPDX-License-Identifier: Apache-2.0
import { expect, it } from 'vitest';
import { phaseLabels } from '../analysis/stage_phases.ts';
import { wallPhases } from '../analysis/time/wall_time.ts';
import { phaseColor, phaseOfCoreTime } from './phase_colors.ts';

type Rgb = [number, number, number];

const linear = (hex: string): Rgb =>
  [1, 3, 5].map((at) => {
    const x = parseInt(hex.slice(at, at + 2), 16) / 255;
    return x <= 0.04045 ? x / 12.92 : ((x + 0.055) / 1.055) ** 2.4;
  }) as Rgb;

/** Machado, Oliveira and Fernandes 2009, the full deficiency, on linear light. */
const deficiencies: Record<string, number[][]> = {
  none: [
    [1, 0, 0],
    [0, 1, 0],
    [0, 0, 1],
  ],
  protanopia: [
    [0.152286, 1.052583, -0.204868],
    [0.114503, 0.786281, 0.099216],
    [-0.003882, -0.048116, 1.051998],
  ],
  deuteranopia: [
    [0.367322, 0.860646, -0.227968],
    [0.280085, 0.672501, 0.047413],
    [-0.01182, 0.04294, 0.968881],
  ],
};

function oklab([r, g, b]: Rgb): Rgb {
  const root = (x: number) => Math.cbrt(Math.max(0, x));
  const l = root(0.4122214708 * r + 0.5363325363 * g + 0.0514459929 * b);
  const m = root(0.2119034982 * r + 0.6806995451 * g + 0.1073969566 * b);
  const s = root(0.0883024619 * r + 0.2817188376 * g + 0.6299787005 * b);
  return [
    0.2104542553 * l + 0.793617785 * m - 0.0040720468 * s,
    1.9779984951 * l - 2.428592205 * m + 0.4505937099 * s,
    0.0259040371 * l + 0.7827717662 * m - 0.808675766 * s,
  ];
}

function distance(first: string, second: string, matrix: number[][]): number {
  const [a, b] = [first, second].map((hex) => {
    const light = linear(hex);
    return oklab(matrix.map((row) => row.reduce((sum, x, i) => sum + x * light[i]!, 0)) as Rgb);
  });
  return Math.hypot(...a!.map((x, i) => x - b![i]!));
}

/** OKLab; twice what one can just see side by side */
const apart = 0.04;

it('tells phases that stand beside each other apart, with color blindness, too', () => {
  const inStages = Object.keys(phaseLabels);
  const ofDriver = Object.keys(wallPhases).filter((id) => id !== 'unknown');
  for (const order of [inStages, ofDriver])
    for (const dark of [false, true])
      for (const [name, matrix] of Object.entries(deficiencies))
        order.forEach((phase, i) => {
          const next = order[i + 1];
          if (next)
            expect(distance(phaseColor(phase, dark), phaseColor(next, dark), matrix), `${phase} and ${next}, ${name}`).toBeGreaterThan(
              apart,
            );
        });
});

it('gives a part of the core time the color of its phase', () => {
  const names = 'JVM CPU,Python CPU,Native engine CPU,GC,Shuffle wait,Waiting for locks,Waiting for a CPU,Idle cores';
  expect(names.split(',').map(phaseOfCoreTime)).toEqual(['jvm', 'python', 'engine', 'gc', 'fetch', 'lock', 'cpuWait', 'idle']);
});
