// SPDX-License-Identifier: Apache-2.0
// The report as a source of the answer bar.
import { questionOf } from '../../analysis/words.ts';
import type { Store } from '../../state/store.ts';
import { tabsOf } from '../tabs.ts';
import { type Answer, type AnswerSource, type Entries, findIn, mostOfGroup } from './answer.ts';
import {
  executorEntries,
  findingEntries,
  functionEntries,
  jobEntries,
  queryEntries,
  settingEntries,
  stageEntries,
  tasksNumbered,
  viewEntries,
} from './report_entries.ts';
import { superlatives } from './superlatives.ts';

/** Suggestions of an empty bar. */
const suggested = 7;

/** The kinds in the order in which equally good ones stand. */
function entriesOf(store: Store): Entries[] {
  const { model } = store;
  return [
    superlatives(store),
    findingEntries(store),
    stageEntries(model),
    settingEntries(model),
    functionEntries(model),
    queryEntries(model),
    jobEntries(model),
    executorEntries(model),
    viewEntries(model),
  ];
}

/** A setting that the application does not set has no row: to say so is the answer. */
function unsetSetting(store: Store, text: string): Answer[] {
  const name = text.trim();
  const { environment } = store.model.report;
  const isSet = environment.some((entry) => entry.name.toLowerCase() === name.toLowerCase());
  if (!/^spark\.[\w.]+\w$/.test(name) || isSet || environment.length === 0) return [];
  return [
    {
      group: 'Settings',
      title: name,
      note: 'not set: Spark’s default applies',
      rank: 1,
      view: { tab: 'environment', selection: {}, versus: null },
    },
  ];
}

/** Any text can be looked for in frames and tables. */
function searchFor(store: Store, text: string): Answer[] {
  const search = text.trim();
  if (!search) return [];
  const { tab, selection } = store.view.peek();
  const shown = tabsOf(store.model.report);
  const isHere = shown.some(({ id, uses }) => id === tab && uses.includes('search'));
  const place = isHere ? tab : shown.find(({ uses }) => uses.includes('search'))?.id;
  if (!place) return [];
  return [
    {
      group: 'Search',
      title: `Search frames and tables for “${search}”`,
      note: 'regular expression',
      rank: 0,
      view: { tab: place, selection: { ...selection, search } },
    },
  ];
}

/** Its entries are built when it is first asked, and again for later data of a running application. */
export function reportAnswers(store: Store): AnswerSource['find'] {
  let built: { model: Store['model']; entries: Entries[] } | null = null;
  return (text) => {
    if (built?.model !== store.model) built = { model: store.model, entries: entriesOf(store) };
    const question = questionOf(text);
    const all = built.entries;
    if (question.words.length === 0) return [all[0]!, all.at(-1)!].flatMap((entries) => findIn(entries, question, suggested));
    const found = [
      ...all.flatMap((entries) => findIn(entries, question, mostOfGroup)),
      ...tasksNumbered(store.model, question.words),
      ...unsetSetting(store, text),
    ];
    return [...found, ...searchFor(store, text)];
  };
}
