// SPDX-License-Identifier: Apache-2.0
// Round places for time ticks, in ms.

const steps = [
  1, 2, 5, 10, 20, 50, 100, 200, 500, 1e3, 2e3, 5e3, 10e3, 15e3, 30e3, 60e3, 120e3, 300e3, 600e3, 900e3, 1800e3, 3600e3, 7200e3, 14400e3,
  21600e3, 43200e3, 86400e3,
];

export function tickStep(span: number, most: number): number {
  return steps.find((step) => span / step <= most) ?? Math.ceil(span / most / 86400e3) * 86400e3;
}

export function ticks(from: number, to: number, most: number): number[] {
  const step = tickStep(to - from, Math.max(1, most));
  const result: number[] = [];
  for (let at = Math.ceil(from / step) * step; at <= to; at += step) result.push(at);
  return result;
}

/** A tick's label: no more digits than the step needs. */
export function tickLabel(ms: number, step: number): string {
  if (ms >= 3600e3 || step >= 3600e3) {
    const minutes = Math.round(ms / 60e3);
    return `${Math.floor(minutes / 60)}:${String(minutes % 60).padStart(2, '0')} h`;
  }
  if (ms >= 120e3) {
    const seconds = ms / 1000;
    return `${Math.floor(seconds / 60)}:${(seconds % 60).toFixed(step < 1000 ? 1 : 0).padStart(step < 1000 ? 4 : 2, '0')}`;
  }
  return `${(ms / 1000).toFixed(step >= 1000 ? 0 : step >= 100 ? 1 : step >= 10 ? 2 : 3)} s`;
}
