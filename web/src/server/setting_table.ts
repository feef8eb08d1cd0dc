// SPDX-License-Identifier: Apache-2.0
// The settings of sparkprof that a server may change in running jobs, from the table that all parts share.
import table from '../../../settings/settings.tsv?raw';

export interface Setting { key: string; kind: string; byDefault: string; allowed: string; meaning: string }

/** The server accepts the same keys. */
const central: { title: string; keys: string[] }[] = [
  { title: 'What is profiled', keys: ['enabled', 'driver.enabled', 'executor.enabled', 'executor.fraction', 'python.enabled', 'events'] },
  { title: 'How often', keys: ['cpu.interval', 'wall.interval', 'alloc.interval', 'lock.threshold', 'python.interval', 'dumpInterval'] },
  { title: 'How much', keys: ['stackDepth', 'memoryLimit', 'heapSummary.enabled', 'heapSummary.interval'] },
];

export function parseSettings(text: string): Map<string, Setting> {
  const settings = new Map<string, Setting>();
  for (const line of text.split('\n')) {
    if (line === '' || line.startsWith('#')) continue;
    const [key = '', kind = '', byDefault = '', allowed = '', , meaning = ''] = line.split('\t');
    settings.set(key, { key, kind, byDefault, allowed, meaning });
  }
  return settings;
}

const all = parseSettings(table);

/** The form: sections of settings that this version knows. */
export const sections = central.map(({ title, keys }) => ({ title, settings: keys.flatMap((key) => all.get(key) ?? []) }))
  .filter(({ settings }) => settings.length > 0);
