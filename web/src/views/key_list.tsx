// SPDX-License-Identifier: Apache-2.0
import type { ComponentChildren } from 'preact';
import { useLayoutEffect, useRef } from 'preact/hooks';

/** The help dialog: keys and what they do, then whatever else there is to explain. */
export function KeyList({ keys, close, children }: { keys: [string, string][]; close(): void; children?: ComponentChildren }) {
  const dialog = useRef<HTMLDialogElement>(null);
  // before the next key arrives: Escape must close the dialog, not act on the page behind it
  useLayoutEffect(() => dialog.current?.showModal(), []);
  return (
    <dialog ref={dialog} class="help" aria-label="Help" onClose={close} onClick={(e) => e.target === dialog.current && close()}>
      <h2>Keyboard</h2>
      <dl class="keys">
        {keys.map(([key, meaning]) => (
          <div key={key}>
            <dt>
              <kbd>{key}</kbd>
            </dt>
            <dd>{meaning}</dd>
          </div>
        ))}
      </dl>
      {children}
      <button onClick={close}>Close</button>
    </dialog>
  );
}
