// SPDX-License-Identifier: Apache-2.0
// Regular-expression search over names.

export interface Search {
  matches: Uint8Array | null;
  found: number;
  error: string;
}

const longestPattern = 300;

/** Smart case: a pattern without capitals finds both cases. `(?i)` and `(?-i)` at the start decide, as in RE2. */
export function compilePattern(text: string): RegExp {
  const flag = /^\(\?(-?)i\)/.exec(text);
  const pattern = flag ? text.slice(flag[0].length) : text;
  if (pattern.length > longestPattern) throw new Error(`longer than ${longestPattern} characters`);
  const ignoreCase = flag ? flag[1] === '' : pattern === pattern.toLowerCase();
  return new RegExp(pattern, ignoreCase ? 'iu' : 'u');
}

/** Places of the names that a search finds: all without one. */
export function placesFound(names: string[], text = ''): number[] {
  const { matches } = searchNames(names, text);
  return names.flatMap((_, place) => (!matches || matches[place] ? [place] : []));
}

/** One byte per name; `matches` is null without a search. */
export function searchNames(names: string[], text: string): Search {
  if (!text) return { matches: null, found: 0, error: '' };
  let pattern: RegExp;
  try {
    pattern = compilePattern(text);
  } catch (error) {
    return { matches: null, found: 0, error: `invalid regular expression: ${(error as Error).message.replace(/^.*: /, '')}` };
  }
  const matches = new Uint8Array(names.length);
  let found = 0;
  for (let i = 0; i < names.length; i++) {
    if (pattern.test(names[i]!)) {
      matches[i] = 1;
      found++;
    }
  }
  return { matches, found, error: '' };
}
