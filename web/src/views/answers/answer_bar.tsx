// SPDX-License-Identifier: Apache-2.0
// The answer bar: whatever is typed leads to its place. A combobox over a list of answers by kind; Enter goes to the best one.
import { useEffect, useLayoutEffect, useMemo, useRef, useState } from 'preact/hooks';
import { cutMiddle } from '../../charts/cut_middle.ts';
import { plural } from '../text.ts';
import { isElsewhere } from '../view_link.tsx';
import { type Answer, type AnswerSource, grouped } from './answer.ts';

interface Properties {
  source: AnswerSource;
  placeholder: string;
  /** address of an answer, so that it can be opened elsewhere and copied; undefined for one that only acts */
  hrefOf(answer: Answer): string | undefined;
  go(answer: Answer): void;
}

/** ms of rest before servers are asked */
const typingPause = 150;
const longestTitle = 110;
const longestNote = 90;

const isMac = /Mac/.test(navigator.platform);
export const answerKey = isMac ? '⌘K' : 'Ctrl K';
export const isAnswerKey = (event: KeyboardEvent) =>
  event.key.toLowerCase() === 'k' && (event.ctrlKey || event.metaKey) && !event.altKey && !event.shiftKey;

/** The button that opens it; so does Ctrl-K anywhere on the page. */
export function AnswerButton(properties: Properties) {
  const [open, setOpen] = useState(false);
  useEffect(() => {
    const listener = (event: KeyboardEvent) => {
      if (!isAnswerKey(event) || document.querySelector('dialog[open]:not(.answers)')) return;
      event.preventDefault();
      setOpen((was) => !was);
    };
    window.addEventListener('keydown', listener);
    return () => window.removeEventListener('keydown', listener);
  }, []);
  return (
    <>
      <button class="answer-button" title={`Go to anything (${answerKey})`} aria-haspopup="dialog" onClick={() => setOpen(true)}>
        Go to… <kbd>{answerKey}</kbd>
      </button>
      {open && <AnswerBar {...properties} close={() => setOpen(false)} />}
    </>
  );
}

/** The answers to `text`; those of a server follow. */
function useAnswers({ find, ask }: AnswerSource, text: string): Answer[] {
  const here = useMemo(() => find(text), [find, text]);
  const [late, setLate] = useState<{ text: string; answers: Answer[] }>({ text: '', answers: [] });
  useEffect(() => {
    if (!ask) return undefined;
    const stop = new AbortController();
    const timer = setTimeout(() => {
      ask(text, stop.signal).then(
        (answers) => setLate({ text, answers }),
        // the page behind the bar shows what is wrong with the server
        () => {},
      );
    }, typingPause);
    return () => {
      clearTimeout(timer);
      stop.abort();
    };
  }, [ask, text]);
  return late.text === text ? [...here, ...late.answers] : here;
}

function AnswerBar({ source, placeholder, hrefOf, go, close }: Properties & { close(): void }) {
  const dialog = useRef<HTMLDialogElement>(null);
  const [text, setText] = useState('');
  // the place in the list, and the text for which it was chosen: for another text it is the best one
  const [chosen, setChosen] = useState({ text: '', at: 0 });
  useLayoutEffect(() => dialog.current!.showModal(), []);
  const groups = grouped(useAnswers(source, text));
  const answers = groups.flatMap(([, own]) => own);
  const at = chosen.text === text ? Math.min(chosen.at, answers.length - 1) : 0;
  useLayoutEffect(() => {
    document.getElementById(`answer-${at}`)?.scrollIntoView({ block: 'nearest' });
  }, [at, text]);
  const take = (answer: Answer) => {
    dialog.current!.close();
    go(answer);
  };
  const onKeyDown = (event: KeyboardEvent) => {
    const step = event.key === 'ArrowDown' ? 1 : event.key === 'ArrowUp' ? -1 : 0;
    if (step !== 0 && answers.length > 0) setChosen({ text, at: (at + step + answers.length) % answers.length });
    else if (event.key !== 'Enter' || !answers[at]) return;
    else if (event.ctrlKey || event.metaKey) document.getElementById(`answer-${at}`)?.dispatchEvent(new MouseEvent('click', event));
    else take(answers[at]);
    event.preventDefault();
  };
  let place = 0;
  return (
    <dialog
      ref={dialog}
      class="answers"
      aria-label="Go to anything"
      onCancel={close} // at once: the event of closing comes after the next key
      onClose={close}
      onClick={(event) => event.target === event.currentTarget && event.currentTarget.close()}>
      <input
        type="text"
        role="combobox"
        aria-label="Go to anything"
        aria-expanded={answers.length > 0}
        aria-controls="answer-list"
        aria-autocomplete="list"
        aria-activedescendant={answers.length > 0 ? `answer-${at}` : undefined}
        placeholder={placeholder}
        spellcheck={false}
        autocomplete="off"
        value={text}
        onInput={(event) => setText(event.currentTarget.value)}
        onKeyDown={onKeyDown}
      />
      <div id="answer-list" role="listbox" aria-label="Answers">
        {groups.map(([name, own]) => (
          <div key={name} role="group" aria-label={name}>
            <div class="answer-group" aria-hidden="true">
              {name}
            </div>
            {own.map((answer) => {
              const own = place++;
              return <Option key={own} at={own} isBest={own === at} answer={answer} href={hrefOf(answer)} take={take} />;
            })}
          </div>
        ))}
      </div>
      {answers.length === 0 && text.trim() !== '' && <p class="quiet">Nothing found.</p>}
      <p class="visually-hidden" role="status">
        {text.trim() !== '' ? plural(answers.length, 'answer') : ''}
      </p>
    </dialog>
  );
}

interface OptionProperties {
  at: number;
  isBest: boolean;
  answer: Answer;
  href: string | undefined;
  take(answer: Answer): void;
}

/** A link, so that it can be opened in another tab. */
function Option({ at, isBest, answer, href, take }: OptionProperties) {
  const { title, note } = answer;
  return (
    <a
      id={`answer-${at}`}
      class="answer"
      role="option"
      tabIndex={-1}
      aria-selected={isBest}
      href={href}
      title={title}
      onClick={(event) => {
        if (href && isElsewhere(event)) return;
        event.preventDefault();
        take(answer);
      }}>
      <span>{cutMiddle(title, longestTitle)}</span>
      {note && <span class="quiet">{cutMiddle(note, longestNote)}</span>}
    </a>
  );
}
