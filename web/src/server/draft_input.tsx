// SPDX-License-Identifier: Apache-2.0
import { useEffect, useRef, useState } from 'preact/hooks';

interface Properties {
  value: string;
  commit(text: string): void;
  /** ms of rest after which typed text counts; without it, Enter and leaving the field do */
  rest?: number;
  id?: string;
  kind?: 'search' | 'text';
  label?: string;
  placeholder?: string;
  list?: string;
  focus?(): void;
}

/** An input whose unfinished text survives when the page around it is refreshed. */
export function DraftInput({ value, commit, rest, id, kind = 'text', label, placeholder, list, focus }: Properties) {
  const [draft, setDraft] = useState<string | null>(null);
  const timer = useRef<ReturnType<typeof setTimeout> | undefined>(undefined);
  useEffect(() => () => clearTimeout(timer.current), []);
  const finish = (text: string) => {
    clearTimeout(timer.current);
    setDraft(null);
    commit(text.trim());
  };
  return (
    <input
      id={id}
      type={kind}
      aria-label={label}
      placeholder={placeholder}
      list={list}
      value={draft ?? value}
      spellcheck={false}
      onFocus={focus}
      onChange={(event) => finish(event.currentTarget.value)}
      onInput={(event) => {
        const text = event.currentTarget.value;
        setDraft(text);
        clearTimeout(timer.current);
        if (rest !== undefined) timer.current = setTimeout(() => finish(text), rest);
      }}
    />
  );
}
