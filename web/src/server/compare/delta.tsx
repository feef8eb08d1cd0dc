// SPDX-License-Identifier: Apache-2.0
import { duration, times } from '../../state/format.ts';

const noticeable = 0.1;
/** from this on, a multiple is shorter than its percentage */
const manyTimes = 10;

interface Properties {
  now: number | null;
  before: number | null | undefined;
  /** the value before; without it, it is a duration in ms */
  text?: string;
}

/** How much more a run took than the one before, "+23%" or "19×"; marked from 10% on. Nothing without one. */
export function Delta({ now, before, text }: Properties) {
  if (now === null || !before) return null;
  const change = now / before - 1;
  const strong = change >= noticeable ? 'more' : change <= -noticeable ? 'less' : '';
  return (
    <span class={`delta ratio ${strong}`} title={`${text ?? duration(before * 1e6)} in the run before`}>
      {now >= manyTimes * before ? times(now / before) : `${change < 0 ? '−' : '+'}${Math.abs(100 * change).toFixed(0)}%`}
    </span>
  );
}
