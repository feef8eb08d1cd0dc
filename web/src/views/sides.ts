// SPDX-License-Identifier: Apache-2.0
// The names of the two sides of a comparison. The second one is the baseline.
import type { Selection } from '../data/contract.ts';
import type { Store } from '../state/store.ts';
import { describe, inWords } from './describe.ts';

export type Sides = readonly [string, string];

/** The heads of columns and rows. */
export const sideTitles = ({ sideNames }: Store): Sides => [sideNames ? 'This run' : 'Selected', 'Baseline'];

/** Only the filters that the sides do not share; their titles where words do not tell them apart. */
export function sidesInWords(store: Store, first: Selection, second: Selection): Sides {
  const own = (of: Selection, other: Selection) => {
    const shared = new Set(describe(other).map(({ dimension, text }) => `${dimension} ${text}`));
    const words = inWords(describe(of).filter(({ dimension, text }) => !shared.has(`${dimension} ${text}`)));
    return words[0]!.toUpperCase() + words.slice(1);
  };
  const words: Sides = [own(first, second), own(second, first)];
  return words[0] === words[1] ? sideTitles(store) : words;
}
