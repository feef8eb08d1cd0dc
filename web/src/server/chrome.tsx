// SPDX-License-Identifier: Apache-2.0
// What all pages of the server share: the line at the top, errors, links.
import type { ComponentChildren } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { AnswerButton, answerKey } from '../views/answers/answer_bar.tsx';
import { KeyList } from '../views/key_list.tsx';
import { linkTo, listPages } from './links.ts';
import { serverAnswers } from './server_answers.ts';
import { ThemeButton } from './theme_button.tsx';
import { clockOf, exactMoment } from './times.ts';

/** The way back, before the name of what the page shows; `current` is the page itself, if it is one of them. */
export function Crumbs({ group, current }: { group?: string; current?: string }) {
  return (
    <nav class="crumbs" aria-label="Pages">
      <a class="brand" href={linkTo.applications}>
        sparkprof
      </a>
      {listPages.map(({ title, href }) => (
        <a key={title} href={href} aria-current={title === current ? 'page' : undefined}>
          {title}
        </a>
      ))}
      {group && (
        <a class="inner" href={linkTo.group(group)} title="The group of this application">
          {group}
        </a>
      )}
    </nav>
  );
}

const answers = serverAnswers();

const ServerAnswerButton = () => (
  <AnswerButton
    source={answers}
    placeholder="An application, a group, a user, a page…"
    hrefOf={({ href }) => href}
    go={({ href }) => location.assign(href!)}
  />
);

interface TopBarProperties {
  title: string;
  facts?: string;
  mark?: ComponentChildren;
  keys: [string, string][];
  children?: ComponentChildren;
}

export function TopBar({ title, facts = '', mark, keys, children }: TopBarProperties) {
  const [help, setHelp] = useState(false);
  useEffect(() => {
    const listener = (event: KeyboardEvent) => {
      if (event.key === '?' && isPlain(event)) setHelp(true);
    };
    window.addEventListener('keydown', listener);
    return () => window.removeEventListener('keydown', listener);
  }, []);
  useEffect(() => {
    document.title = `${title} · sparkprof`;
  }, [title]);
  return (
    <>
      <header class="page-header">
        <Crumbs current={title} />
        <h1 class={listPages.some((page) => page.title === title) ? 'visually-hidden' : ''} title={title}>
          {title}
        </h1>
        <span class="facts">{facts}</span>
        {mark}
        {children}
        <ServerAnswerButton />
        <button class="icon" aria-label="Help: keyboard" title="Help (?)" onClick={() => setHelp(true)}>
          ?
        </button>
        <ThemeButton />
      </header>
      {help && <KeyList keys={[[answerKey, 'go to an application, group, user or page'], ...keys]} close={() => setHelp(false)} />}
    </>
  );
}

/** A key that is meant for the page, not for an input or the browser. */
export function isPlain(event: KeyboardEvent): boolean {
  return (
    !event.defaultPrevented &&
    !event.ctrlKey &&
    !event.metaKey &&
    !event.altKey &&
    !/^(input|select|textarea)$/i.test((event.target as HTMLElement).tagName) &&
    !document.querySelector('dialog[open]')
  );
}

/** The error, and whether old data are still shown. */
export function Problem({ error, updated = 0 }: { error: Error | null; updated?: number }) {
  if (!error) return null;
  return (
    <p class="problem" role="alert">
      {error.message}
      {updated > 0 && ` The data below is from ${clockOf(updated)}. Retrying.`}
    </p>
  );
}

/** Instead of a page whose data are not there: why, and the way back. */
export function Missing({ error, children }: { error: Error; children: ComponentChildren }) {
  return (
    <main class="empty">
      <p class="bad" role="alert">
        {error.message}
      </p>
      <p>{children}</p>
    </main>
  );
}

export function LiveMark({ updated, error }: { updated: number; error: Error | null }) {
  return error ? (
    <span class="badge warn" title={error.message}>
      live, no answer since {clockOf(updated)}
    </span>
  ) : (
    <span class="badge live" title={`Last update: ${exactMoment(updated)}`}>
      live, updated {clockOf(updated)}
    </span>
  );
}

const marks = { running: '●', finished: '✓', failed: '✕', incomplete: '◌' };
const hints = { running: 'running', finished: 'finished', failed: 'failed', incomplete: 'no end event and no new data' };

export function StatusText({ status }: { status: keyof typeof marks }) {
  return (
    <span class={`status ${status}`} title={hints[status]}>
      <span aria-hidden="true">{marks[status] ?? ''}</span> {status}
    </span>
  );
}
