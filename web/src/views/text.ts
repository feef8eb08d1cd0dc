// SPDX-License-Identifier: Apache-2.0
import { count } from '../state/format.ts';

export function escapeRegex(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&');
}

export const plural = (number: number, word: string) => `${count(number)} ${word}${number === 1 ? '' : 's'}`;

/** PySpark names the whole path of its file. */
export const withoutFolders = (text: string) => text.replaceAll(/ at [^\s:]*\/([^\s/]+:\d+)/g, ' at $1');

/** Words of a text make a sentence; a setting or a name that it begins with keeps its case. */
export const asSentence = (text: string) =>
  withoutFolders(text.replace(/^[a-z](?=[a-z]*[ :])/, (letter) => letter.toUpperCase())) + (/[.!?…]$/.test(text) ? '' : '.');

/** Notebooks describe a query by its whole text, and for calls by reflection Spark names a place in the JDK. */
export const callOf = (text: string) =>
  withoutFolders(text.replaceAll(/\s+/g, ' '))
    .replace(/ at (NativeMethodAccessorImpl\.java|<unknown>):0$/, '')
    .trim();
