// SPDX-License-Identifier: Apache-2.0
// The answer as Markdown, for an issue or a chat.
import { verdictOf } from '../analysis/verdict.ts';
import type { Finding } from '../data/contract.ts';
import type { Model } from '../data/model.ts';
import { duration, money, share } from './format.ts';

/** The saving with what it is worth, if there are prices: "9.0–13 s (0.01–0.014 USD)". */
export const worthOf = ({ saving, savingCost: worth }: Finding): string =>
  saving + (worth ? ` (${money(worth.low)}–${money(worth.high, worth.currency)})` : '');

/** Characters that Markdown would take for its own. */
const escaped = (text: string) => text.replace(/[\\`*_[\]<>|]/g, '\\$&');

/** The verdict in one plain sentence. */
export function verdictSentence(model: Model): string {
  const { duration: whole, place, code } = verdictOf(model);
  const where = place ? `: ${share(place.share)} in ${place.text}` : '';
  return `${duration(whole)}${where}${code ? `, of which ${share(code.share)} in ${code.text}` : ''}.`;
}

export function verdictMarkdown(model: Model): string {
  const { application, findings } = model.report;
  const lines = [`**${escaped(application.name)}** (${escaped(application.id)}): ${escaped(verdictSentence(model))}`, ''];
  for (const finding of findings.filter(({ folded }) => !folded)) {
    const saving = worthOf(finding);
    lines.push(`- **${escaped(finding.title)}**${saving && ` (could save about ${saving})`}. ${escaped(finding.change ?? '')}`.trimEnd());
  }
  return `${lines.join('\n').trimEnd()}\n`;
}
