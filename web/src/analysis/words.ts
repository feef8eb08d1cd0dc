// SPDX-License-Identifier: Apache-2.0
// A question in words, and how well a text answers it.

export interface Question {
  /** in lower case; a text has to have all of them */
  words: string[];
  /** it asks for a cause or a change, not for a place */
  asksWhy: boolean;
}

const fillers = new Set('a an are did do does how i is it its my of should so the to was what why'.split(' '));
/** The rest of "why is stage 4 so slow". */
const complaints = new Set(['long', 'slow', 'take', 'takes', 'took']);

export function questionOf(text: string): Question {
  const all = text.toLowerCase().replaceAll('’', "'").replace(/\?+$/, '').split(/\s+/).filter(Boolean);
  const asksWhy = all[0] === 'why' || all[0] === 'what';
  const words = all.filter((word) => !fillers.has(word) && !(asksWhy && complaints.has(word)));
  return { words: words.length > 0 ? words : all, asksWhy };
}

const isWordPart = (code: number) => (code >= 97 && code <= 122) || (code >= 48 && code <= 57) || code > 127;

const whole = 3;
const start = 2;
const inside = 1;

/** How well `word` stands in a text in lower case: as a whole word, at the start of one, inside one; 0 = not at all. */
function standing(text: string, word: string): number {
  let best = 0;
  for (let at = text.indexOf(word); at >= 0 && best < whole; at = text.indexOf(word, at + 1)) {
    const isStart = at === 0 || !isWordPart(text.charCodeAt(at - 1)) || !isWordPart(word.charCodeAt(0));
    const end = at + word.length;
    const isEnd = end === text.length || !isWordPart(text.charCodeAt(end));
    best = Math.max(best, isStart ? (isEnd ? whole : start) : inside);
  }
  return best;
}

/** From 0, where a word is missing, to 3, where all are whole words of the text, which is in lower case; without words 1. */
export function rank(text: string, words: string[]): number {
  if (words.length === 0) return 1;
  let sum = 0;
  for (const word of words) {
    const own = standing(text, word);
    if (own === 0) return 0;
    sum += own;
  }
  return sum / words.length;
}
