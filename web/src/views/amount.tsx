// SPDX-License-Identifier: Apache-2.0
import { amount } from '../state/format.ts';

/** A number with its unit; zero is de-emphasized. */
export function Amount({ value, unit }: { value: number | null | undefined; unit: string }) {
  return value ? amount(value, unit) : <span class="quiet">–</span>;
}
