// SPDX-License-Identifier: Apache-2.0
export function escapeRegex(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&');
}

export function plural(count: number, word: string): string {
  return `${count} ${word}${count === 1 ? '' : 's'}`;
}

/** Words of a text make a sentence; a setting or a name that it begins with keeps its case. */
export const asSentence = (text: string) =>
  text.replace(/^[a-z](?=[a-z]*[ :])/, (letter) => letter.toUpperCase()) + (/[.!?…]$/.test(text) ? '' : '.');
