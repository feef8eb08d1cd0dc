// SPDX-License-Identifier: Apache-2.0
// The filter as the page's address has it: by names, so that a link still holds when the fleet has grown.
import { type Dimension, dimensions } from './contract.ts';
import { dayOf } from './numbers.ts';
import type { Fleet, FleetFilter } from './totals.ts';

/** Parameters of the address that select applications. */
export const filterNames = [...dimensions, 'finding', 'among', 'from', 'to'] as const;

/** Applications without a user, queue and so on are listed as unknown. */
export const nameOf = (value: string | undefined) => value || 'unknown';
export const nameAt = (fleet: Fleet, dimension: Dimension, number: number) => nameOf(fleet.data.values[dimension][number]);

export const readsText = ({ name }: { name: string }) => `reads ${name}`;
export const settingText = ({ key, value }: { key: string; value: string }) => `${key}=${value}`;

/** A name that the fleet does not have selects nothing. */
export function filterOf(fleet: Fleet, parameters: URLSearchParams): FleetFilter {
  const { values, rules, tables, settings } = fleet.data;
  const chosen = <T>(parameter: string, choose: (text: string) => T): T | null => {
    const text = parameters.get(parameter);
    return text ? choose(text) : null;
  };
  return {
    values: Object.fromEntries(
      dimensions.flatMap((name) => chosen(name, (text) => [[name, values[name].findIndex((value) => nameOf(value) === text)]]) ?? []),
    ),
    rule: chosen('finding', (text) => rules.findIndex(({ rule }) => rule === text)),
    among: chosen(
      'among',
      (text) => (tables.find((one) => readsText(one) === text) ?? settings.find((one) => settingText(one) === text))?.bits ?? '',
    ),
    from: chosen('from', dayOf),
    to: chosen('to', dayOf),
  };
}
