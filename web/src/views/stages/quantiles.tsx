// SPDX-License-Identifier: Apache-2.0
import { duration } from '../../state/format.ts';

/** A maximum that is so many medians stands out. */
const farAway = 3;

/** [min, p25, p50, p75, max] as a small box plot on a scale from zero to the maximum, with median and maximum. */
export function Quantiles({ values }: { values: number[] | undefined }) {
  if (!values || values.length < 5 || !values[4]) return <span class="quiet">–</span>;
  const [min, p25, p50, p75, max] = values as [number, number, number, number, number];
  const at = (value: number) => 1 + (value / max) * 42;
  const words = `Min ${duration(min)}, 25th percentile ${duration(p25)}, median ${duration(p50)}, 75th percentile ${duration(p75)}, max ${duration(max)}`;
  return (
    <span class="quantiles" title={words}>
      <svg width="44" height="12" role="img" aria-label={words}>
        <line x1={at(min)} x2={at(max)} y1="6" y2="6" class="whisker" />
        <rect x={at(p25)} width={Math.max(1, at(p75) - at(p25))} y="2" height="8" class="box" />
        <line x1={at(p50)} x2={at(p50)} y1="1" y2="11" class="median" />
        <line x1={at(max)} x2={at(max)} y1="3" y2="9" class="whisker" />
      </svg>
      <span>
        {duration(p50)} <span class="quiet">/</span> {max > farAway * p50 ? <b>{duration(max)}</b> : duration(max)}
      </span>
    </span>
  );
}
