// SPDX-License-Identifier: Apache-2.0
import { count } from '../state/format.ts';

export function escapeRegex(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&');
}

export const plural = (number: number, word: string) => `${count(number)} ${word}${number === 1 ? '' : 's'}`;

/** Words of a text make a sentence; a setting or a name that it begins with keeps its case. */
export const asSentence = (text: string) =>
  text.replace(/^[a-z](?=[a-z]*[ :])/, (letter) => letter.toUpperCase()) + (/[.!?…]$/.test(text) ? '' : '.');

/** Notebooks describe a query by its whole text; PySpark names the whole path of its file, and for calls by reflection Spark a place in the JDK. */
export const callOf = (text: string) =>
  text
    .replaceAll(/\s+/g, ' ')
    .replace(/ at \S*\/(\S+:\d+)$/, ' at $1')
    .replace(/ at (NativeMethodAccessorImpl\.java|<unknown>):0$/, '')
    .trim();
