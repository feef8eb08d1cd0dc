// SPDX-License-Identifier: Apache-2.0
// The answer as Markdown, for an issue or a chat.
import type { Finding } from '../data/contract.ts';
import type { Model } from '../data/model.ts';
import { money } from './format.ts';

/** The saving with what it is worth, if there are prices: "9.0–13 s (0.01–0.014 USD)". */
export const worthOf = ({ saving, savingCost: worth }: Finding): string =>
  saving + (worth ? ` (${money(worth.low)}–${money(worth.high, worth.currency)})` : '');

/** Renderers and sites give these a meaning: URLs, names of hosts and files, mentions, references, emoji, formulas. */
const meaning = /[@$]|.\.[a-z\u0080-\uffff]|:[a-z\u0080-\uffff]|\/\/|gh-\d/i;

const withoutMarks = (text: string) => text.replace(/[\\`*_[\]<>|#~!&]/g, '\\$&').replaceAll('#', '#&#8203;');

/** Between more backticks than the word has one behind the other. */
function code(word: string): string {
  const runs = word.match(/`+/g) ?? [];
  const fence = '`'.repeat(Math.max(0, ...runs.map((run) => run.length)) + 1);
  const pad = /^`|`$/.test(word) ? ' ' : '';
  return fence + pad + word + pad + fence;
}

function escapedWord(word: string): string {
  const [, before, core, behind] = /^([([{"']*)(.*?)([.,;:!?)\]}"']*)$/s.exec(word)!;
  return withoutMarks(before!) + (core && meaning.test(core + behind) ? code(core) : withoutMarks(core!)) + withoutMarks(behind!);
}

/** Text as Markdown that shows it and nothing else, on one line: words with a meaning are code. EscapeMarkdown in C++ is the same. */
export const escaped = (text: string) =>
  text
    .replace(/[\p{Cc}\p{Zl}\p{Zp}]/gu, '\ufffd')
    .split(/([ |]+)/)
    .map((part, i) => (i % 2 === 0 ? escapedWord(part) : withoutMarks(part)))
    .join('');

export function verdictMarkdown(model: Model): string {
  const { application, findings } = model.report;
  const lines = [`**${escaped(application.name)}** (${escaped(application.id)}): ${escaped(model.report.summary.verdict ?? '')}`, ''];
  for (const finding of findings.filter(({ folded }) => !folded)) {
    const saving = worthOf(finding);
    lines.push(`- **${escaped(finding.title)}**${saving && ` (could save about ${saving})`}. ${escaped(finding.change ?? '')}`.trimEnd());
  }
  return `${lines.join('\n').trimEnd()}\n`;
}
