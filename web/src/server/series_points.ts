// SPDX-License-Identifier: Apache-2.0
// Hourly maxima as curves.
import type { Unit } from '../data/contract.ts';
import type { GroupSeries } from './contract.ts';

const hour = 3600e3;

export interface GroupCurve {
  name: string;
  label: string;
  unit: Unit;
  data: [number[], (number | null)[]];
  most: number;
}

const known: Record<string, { label: string; unit: Unit }> = {
  'process.cpu_ns': { label: 'CPU', unit: 'cores' },
  'jvm.heap_used_bytes': { label: 'Heap used', unit: 'bytes' },
  'process.rss_bytes': { label: 'Resident', unit: 'bytes' },
  'jvm.gc_time_ns': { label: 'GC', unit: 'share' },
};
const order = Object.keys(known);

function infoOf(name: string): { label: string; unit: Unit } {
  const words = name
    .replace(/^[a-z]+\./, '')
    .replace(/_(bytes|ns)$/, '')
    .replaceAll('_', ' ');
  return known[name] ?? { label: words, unit: name.endsWith('_bytes') ? 'bytes' : name.endsWith('_ns') ? 'cores' : 'count' };
}

/** Each hour is a level piece; hours without data are a gap. Times are ms from `origin`. */
export function steps(points: [number, number][], origin: number): [number[], (number | null)[]] {
  const times: number[] = [];
  const values: (number | null)[] = [];
  points.forEach(([time, value], i) => {
    const at = time - origin;
    times.push(at, at + hour - 1);
    values.push(value, value);
    const next = points[i + 1];
    if (!next || next[0] - time > hour) {
      times.push(at + hour);
      values.push(null);
    }
  });
  return [times, values];
}

/** Curves in order of interest; the profiler's own series are left out. */
export function curvesOfGroup(series: GroupSeries[], origin: number): GroupCurve[] {
  const rank = (name: string) => (order.includes(name) ? order.indexOf(name) : order.length);
  return series
    .filter(({ name, points }) => points.length > 0 && !name.startsWith('agent.'))
    .sort((a, b) => rank(a.name) - rank(b.name) || a.name.localeCompare(b.name))
    .map(({ name, points }) => ({
      name,
      ...infoOf(name),
      data: steps(points, origin),
      most: points.reduce((most, [, value]) => Math.max(most, value), 0),
    }));
}
