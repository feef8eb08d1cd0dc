// SPDX-License-Identifier: Apache-2.0
// The operators that an engine leaves to Spark, with its reasons and what they cost.
import { useMemo } from 'preact/hooks';
import { fallbacksOf } from '../analysis/fallbacks.ts';
import type { PlanNode } from '../data/contract.ts';
import { amount } from '../state/format.ts';
import { plural } from './text.ts';

export function PlanFallbacks({ plan }: { plan: PlanNode }) {
  const fallbacks = useMemo(() => fallbacksOf(plan), [plan]);
  if (fallbacks.length === 0) return null;
  const known = fallbacks.filter(({ cost }) => cost !== undefined);
  return (
    <details class="note plan-versions">
      <summary>
        Spark runs {plural(fallbacks.length, 'operator')} that the engine does not
        {known.length > 0 &&
          `: ${amount(
            known.reduce((sum, { cost }) => sum + cost!, 0),
            'ns',
          )}`}
      </summary>
      <ol>
        {fallbacks.map(({ name, reason, cost }, at) => (
          <li key={at}>
            {name}: {cost === undefined ? 'time unknown' : amount(cost, 'ns')}
            {reason && <span class="quiet"> {reason}</span>}
          </li>
        ))}
      </ol>
    </details>
  );
}
