// SPDX-License-Identifier: Apache-2.0
// The operators that an engine leaves to Spark, with its reasons and what they cost.
import { useMemo } from 'preact/hooks';
import { fallbacksOf } from '../../analysis/fallbacks.ts';
import type { PlanNode } from '../../data/contract.ts';
import { amount } from '../../state/format.ts';
import { plural } from '../text.ts';

export function PlanFallbacks({ plan }: { plan: PlanNode }) {
  const fallbacks = useMemo(() => fallbacksOf(plan), [plan]);
  if (fallbacks.length === 0) return null;
  const operators = fallbacks.reduce((sum, { count }) => sum + count, 0);
  const known = fallbacks.filter(({ cost }) => cost !== undefined);
  const whole = known.reduce((sum, { cost }) => sum + cost!, 0);
  return (
    <details class="note">
      <summary>
        Spark runs {plural(operators, 'operator')} that the engine does not{known.length > 0 && `: ${amount(whole, 'ns')}`}
      </summary>
      <ul class="plan-fallbacks">
        {fallbacks.map(({ name, reason, count, cost }) => (
          <li key={`${name}\n${reason}`}>
            <span class="quiet">{cost === undefined ? 'time unknown' : amount(cost, 'ns')}</span>
            <span>
              {name}
              {count > 1 && ` (${count}×)`}
            </span>
            <span class="quiet">{reason || 'no reason in the log'}</span>
          </li>
        ))}
      </ul>
    </details>
  );
}
