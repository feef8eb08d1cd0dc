// SPDX-License-Identifier: Apache-2.0
// The settings of sparkprof that a server may change in running jobs, from the table that all parts share.
import table from '../../../settings/settings.tsv?raw';

export interface Setting {
  key: string;
  kind: string;
  byDefault: string;
  allowed: string;
  meaning: string;
}

/** The settings whose column `central` has "yes". The last comment line names the columns. */
export function centralSettings(text: string): Setting[] {
  const lines = text.split('\n').filter((line) => line !== '');
  const names =
    lines
      .findLast((line) => line.startsWith('#'))
      ?.replace(/^# */, '')
      .split('\t') ?? [];
  return lines
    .filter((line) => !line.startsWith('#'))
    .flatMap((line) => {
      const cells = line.split('\t');
      const cell = (name: string) => cells[names.indexOf(name)] ?? '';
      const setting = {
        key: cell('key'),
        kind: cell('kind'),
        byDefault: cell('default'),
        allowed: cell('allowed'),
        meaning: cell('meaning'),
      };
      return cell('central') === 'yes' ? [setting] : [];
    });
}

const titles = ['What is profiled', 'How often', 'How much'] as const;

function titleOf({ key, kind }: Setting): (typeof titles)[number] {
  if (['flag', 'fraction', 'choices', 'choice'].includes(kind)) return 'What is profiled';
  return /interval$|threshold$/i.test(key) ? 'How often' : 'How much';
}

const all = centralSettings(table);

/** The form: sections of settings that this version knows. */
export const sections = titles
  .map((title) => ({ title, settings: all.filter((setting) => titleOf(setting) === title) }))
  .filter(({ settings }) => settings.length > 0);
