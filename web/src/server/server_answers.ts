// SPDX-License-Identifier: Apache-2.0
// Answers that the bar finds on a server: pages, applications, groups, users, and runs to compare the shown one with.
import { questionOf } from '../analysis/words.ts';
import { count, duration } from '../state/format.ts';
import { type Answer, type AnswerSource, type Entries, findIn } from '../views/answers/answer.ts';
import { api, getJson } from './api.ts';
import type { ApplicationPage, Group, ListedApplication } from './contract.ts';
import { linkTo, listPages } from './links.ts';
import { moment } from './times.ts';

const mostSearched = 100;
const mostEarlier = 50;
/** Suggestions of an empty bar. */
const suggested = 6;

interface Place {
  title: string;
  note: string;
  href: string;
  /** other words for it */
  words?: string;
}

function entriesOf(group: string, places: Place[], weight: (place: number) => number = () => 0): Entries {
  return {
    group,
    texts: places.map(({ title, note, words = '' }) => `${title} ${note} ${words}`.toLowerCase()),
    weight,
    keys: (place) => [places[place]!.title.toLowerCase()],
    answer: (place) => {
      const { words: _words, ...answer } = places[place]!;
      return answer;
    },
  };
}

const lists: Place[] = [
  { title: 'Failed applications', note: '', href: '/?status=failed', words: 'failure error' },
  { title: 'Running applications', note: '', href: '/?status=running', words: 'live' },
  { title: 'Longest applications', note: '', href: '/?sort=-durationMs', words: 'slowest' },
  { title: 'Applications with most CPU time', note: '', href: '/?sort=-cpuSeconds', words: 'largest' },
  { title: 'Applications with most findings', note: '', href: '/?sort=-findings', words: 'worst' },
];
const pages = entriesOf('Pages', [...listPages.map(({ title, href }) => ({ title, note: '', href })), ...lists]);

const factsOf = ({ id, user, status, startTime, durationMs }: ListedApplication) =>
  [moment(startTime, Date.now()), duration(durationMs * 1e6), user, status, id].filter(Boolean).join(' · ');

/** Applications in which all words are; the server looks for one text only. */
async function applicationAnswers(text: string, signal: AbortSignal): Promise<Answer[]> {
  const question = questionOf(text);
  const search = question.words.reduce((longest, word) => (word.length > longest.length ? word : longest), '');
  const { applications } = await getJson<ApplicationPage>(
    api('/applications', { search, nodes: 'false', limit: search ? mostSearched : suggested }),
    signal,
  );
  const users = [...new Set(applications.map(({ user }) => user))].filter(Boolean);
  return [
    entriesOf(
      'Applications',
      applications.map((row) => ({
        title: row.name || row.id,
        note: factsOf(row),
        href: linkTo.application(row.id, row.attempt),
        words: row.group,
      })),
      // the latest first
      (place) => 1 / (2 + place),
    ),
    ...(search
      ? [
          entriesOf(
            'Users',
            users.map((user) => ({ title: user, note: 'applications of this user', href: linkTo.user(user), words: 'user' })),
          ),
        ]
      : []),
  ].flatMap((entries) => findIn(entries, question));
}

async function groupAnswers(text: string, signal: AbortSignal): Promise<Answer[]> {
  const question = questionOf(text);
  if (question.words.length === 0) return [];
  const { groups } = await getJson<{ groups: Group[] }>(api('/groups'), signal);
  const named = groups.filter(({ name }) => name !== '');
  return findIn(
    entriesOf(
      'Groups',
      named.map(({ name, applications }) => ({
        title: name,
        note: `${count(applications)} application${applications === 1 ? '' : 's'}`,
        href: linkTo.group(name),
        words: 'group',
      })),
    ),
    question,
  );
}

const dayMs = 86400e3;
const dayOf = (ms: number) => new Date(ms).setHours(0, 0, 0, 0);
/** A day is not always 24 hours long. */
const isDayBefore = (ms: number, later: number) => dayOf(dayOf(later) - dayMs / 2) === dayOf(ms);

/** Earlier runs of the same job to compare with, by name in its group. */
export function earlierRuns(own: ListedApplication, rows: ListedApplication[]): Place[] {
  const earlier = rows
    .filter(({ id, name, startTime, status }) => id !== own.id && name === own.name && startTime < own.startTime && status === 'finished')
    .sort((a, b) => b.startTime - a.startTime);
  const yesterday = earlier.find(({ startTime }) => isDayBefore(startTime, own.startTime));
  const place = (title: string, row: ListedApplication | undefined, words: string): Place[] =>
    row ? [{ title, note: factsOf(row), href: linkTo.compare(own.id, row.id), words }] : [];
  return [
    ...place('Compare with yesterday’s run', yesterday, "yesterday's yesterdays day before baseline against"),
    ...place('Compare with the run before', earlier[0], 'previous last earlier baseline against'),
  ];
}

async function comparisons(own: ListedApplication, text: string, signal: AbortSignal): Promise<Answer[]> {
  const url = api('/applications', { search: own.name, group: own.group, to: own.startTime, sort: '-startTime', limit: mostEarlier });
  const { applications } = await getJson<ApplicationPage>(url, signal);
  return findIn(entriesOf('Answers', earlierRuns(own, applications)), questionOf(text));
}

/** `own`: the application that the page shows. */
export function serverAnswers(own?: ListedApplication | null): AnswerSource {
  return {
    find: (text) => findIn(pages, questionOf(text), suggested),
    ask: async (text, signal) => {
      const kinds = [applicationAnswers(text, signal), groupAnswers(text, signal), ...(own ? [comparisons(own, text, signal)] : [])];
      return (await Promise.all(kinds)).flat();
    },
  };
}
