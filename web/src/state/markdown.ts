// SPDX-License-Identifier: Apache-2.0
// The answer as Markdown, for an issue or a chat.
import type { Finding } from '../data/contract.ts';
import type { Model } from '../data/model.ts';
import { differencesOf, diffLines, predictionOf } from '../analysis/findings/change.ts';
import { excerptOf } from '../analysis/findings/source_line.ts';
import { duration, money } from './format.ts';

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

/** A block of code that ends where its text cannot. */
function block(language: string, lines: string[]): string[] {
  const longest = Math.max(2, ...lines.flatMap((line) => line.match(/`+/g) ?? []).map(({ length }) => length));
  const fence = '`'.repeat(longest + 1);
  return [fence + language, ...lines.map((line) => line.replace(/[\p{Cc}\p{Zl}\p{Zp}]/gu, ' ')), fence, ''];
}

/** A finding for a pull request: the claim, its evidence, the line, the change, what it would save, and what was ruled out. */
export function findingMarkdown(model: Model, finding: Finding): string {
  const { application } = model.report;
  const { change, frames = [], measured, ruledOut = [] } = finding;
  const lines = [`### ${escaped(finding.title)}`, '', `${escaped(finding.what)}.${measured ? ` ${escaped(measured)}.` : ''}`, ''];
  const [frame] = frames;
  if (frame) lines.push(`Code: ${code(frame)}`, '');
  const excerpt = frame && excerptOf(model.report, frame);
  if (excerpt) lines.push(...block('', excerpt.lines));
  if (change) lines.push(`**Change:** ${escaped(change)}.`, '');
  for (const difference of differencesOf(finding)) lines.push(`${difference.title}:`, '', ...block('diff', diffLines(difference)));
  const prediction = predictionOf(finding, model.duration);
  if (prediction) {
    const { recorded, low, high } = prediction;
    lines.push(
      `**Prediction:** ${duration(low * 1e6)} to ${duration(high * 1e6)} instead of ${duration(recorded * 1e6)}; could save ${worthOf(finding)}.`,
      '',
    );
  }
  if (ruledOut.length > 0) lines.push('Ruled out:', ...ruledOut.map((text) => `- ${escaped(text)}`), '');
  lines.push(`Measured by sparkprof in ${escaped(application.name)} (${escaped(application.id)}).`);
  return `${lines.join('\n')}\n`;
}
