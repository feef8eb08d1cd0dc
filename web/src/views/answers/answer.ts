// SPDX-License-Identifier: Apache-2.0
// The kinds of answers in the bar, and the search for them by words.
import { type Question, rank } from '../../analysis/words.ts';
import type { View } from '../../state/view.ts';

/** Exactly one of `view`, `href` and `act` is there. */
export interface Answer {
  group: string;
  title: string;
  note: string;
  /** the higher, the better it fits the question */
  rank: number;
  /** change of the report's view */
  view?: Partial<View>;
  /** page of the server */
  href?: string;
  act?(): void;
}

/** Where answers come from; `text` is what was typed. */
export interface AnswerSource {
  find(text: string): Answer[];
  /** the rest, from a server */
  ask?(text: string, signal: AbortSignal): Promise<Answer[]>;
}

/** Things of one kind; only those that are found become answers. */
export interface Entries {
  group: string;
  /** in lower case */
  texts: string[];
  /** less than 1; the larger one of two entries with the same words comes first */
  weight(place: number): number;
  /** words that mean this entry and no other of its kind */
  keys?(place: number): string[];
  /** tells a cause or a change, which a question for one prefers */
  tellsWhy?(place: number): boolean;
  answer(place: number): Omit<Answer, 'group' | 'rank'>;
}

/** The most answers of one kind: more would hide the other kinds. */
export const mostOfGroup = 5;

/** The best entries for a question, the best first. */
export function findIn(entries: Entries, { words, asksWhy }: Question, most = mostOfGroup): Answer[] {
  const best: { place: number; rank: number }[] = [];
  const { group, texts, weight, keys, tellsWhy, answer } = entries;
  for (let place = 0; place < texts.length; place++) {
    let own = rank(texts[place]!, words);
    if (own === 0) continue;
    own += weight(place);
    if (keys?.(place).some((key) => words.includes(key))) own += 1;
    if (asksWhy && tellsWhy?.(place)) own += 2;
    if (best.length === most && own <= best.at(-1)!.rank) continue;
    const at = best.findIndex((other) => other.rank < own);
    best.splice(at < 0 ? best.length : at, 0, { place, rank: own });
    if (best.length > most) best.pop();
  }
  return best.map(({ place, rank: own }) => ({ ...answer(place), group, rank: own }));
}

/** Answers by group, the group with the best answer first; groups that are alike stay in order. */
export function grouped(answers: Answer[]): [string, Answer[]][] {
  const groups = new Map<string, Answer[]>();
  for (const answer of answers) {
    const own = groups.get(answer.group);
    if (own) own.push(answer);
    else groups.set(answer.group, [answer]);
  }
  return [...groups].sort(([, a], [, b]) => b[0]!.rank - a[0]!.rank);
}
