// SPDX-License-Identifier: Apache-2.0
/** `text` as one word of a command line to copy, whoever chose it. A terminal would obey control characters even within quotes. */
export function shellWord(text: string): string {
  const shown = text.replaceAll(/[^\P{Cc}\n]/gu, '\ufffd');
  return /^[\w@%+=:,./-]+$/.test(shown) ? shown : `'${shown.replaceAll("'", `'"'"'`)}'`;
}
