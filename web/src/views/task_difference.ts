// SPDX-License-Identifier: Apache-2.0
// Why one set of tasks takes longer than another, in one sentence: "23× longer: 36× the records, same code".
import type { ComparedMetric } from '../analysis/compared_tasks.ts';
import { duration, times } from '../state/format.ts';

/** Measures of a task's work, in order of preference: records tell more than bytes, which depend on compression. */
const sizes: [string, string][] = [
  ['shuffleReadRecords', 'records'],
  ['inputRecords', 'records'],
  ['shuffleReadBytes', 'shuffle data'],
  ['inputBytes', 'input'],
];
/** Times that a task spends beside its own work. */
const waits: [string, string][] = [
  ['gcTimeNs', 'GC'],
  ['shuffleFetchWaitNs', 'waiting for shuffle data'],
  ['shuffleWriteTimeNs', 'writing shuffle data'],
  ['deserializeTimeNs', 'deserialization'],
  ['schedulerDelayNs', 'scheduler delay'],
  ['gettingResultTimeNs', 'sending the result'],
];

/** Ratios nearer to 1 are no difference. */
const noticeable = 1.2;
/** Part of the difference in duration that a wait must be to explain it. */
const explains = 0.4;

/** `code` is from sharedCode; null if unknown. Empty where the durations do not differ. */
export function differenceInWords(metrics: ComparedMetric[], code: number | null, than = ''): string {
  const of = (name: string) => metrics.find(({ metric }) => metric.name === name);
  const whole = of('durationNs');
  if (!whole || whole.b <= 0 || whole.a < noticeable * whole.b) return '';
  const size = sizes
    .flatMap(([name, noun]) => {
      const own = of(name);
      return own && own.b > 0 ? [{ noun, ratio: own.a / own.b }] : [];
    })
    .reduce<{ noun: string; ratio: number } | null>((most, own) => (most && most.ratio >= own.ratio ? most : own), null);
  const reasons: string[] = [];
  if (size && size.ratio >= noticeable) reasons.push(`${times(size.ratio)} the ${size.noun}`);
  for (const [name, words] of waits) {
    const own = of(name);
    if (own && own.a - own.b >= explains * (whole.a - whole.b)) reasons.push(`${duration(own.a - own.b)} more of ${words}`);
  }
  const spilled = of('diskSpilledBytes');
  if (spilled && spilled.a > 0 && spilled.b === 0) reasons.push('only this one spills to disk');
  if (reasons.length === 0 && size) reasons.push(`same ${size.noun}`);
  if (code !== null && code >= sameCode) reasons.push('same code');
  if (code !== null && code <= otherCode) reasons.push('different code');
  return `${times(whole.a / whole.b)} longer${than}${reasons.length > 0 ? `: ${reasons.join(', ')}` : ''}`;
}

const sameCode = 0.5;
const otherCode = 0.3;
