// SPDX-License-Identifier: Apache-2.0
import { useEffect, useRef } from 'preact/hooks';
import { frameClasses, hexOf } from '../charts/flame/colours.ts';
import { useStore } from '../state/store.ts';

const keys: [string, string][] = [
  ['/', 'search'], ['Esc', 'back out: menu, search, zoom, comparison'], ['← ↑ → ↓', 'move through frames'],
  ['Enter', 'zoom into the frame'], ['Backspace', 'zoom out'], ['i', 'icicles or flames'],
  ['r', 'reverse: show callers'], ['s', 'sandwich: callers and callees of the frame'], ['t', 'table of functions'],
  ['m', 'menu of the frame'], ['l', 'timeline on or off'], ['1 – 8', 'tabs'], ['c', 'compare'], ['?', 'this help'],
];

export function Help() {
  const store = useStore();
  const dialog = useRef<HTMLDialogElement>(null);
  useEffect(() => dialog.current?.showModal(), []);
  const close = () => { store.help.value = false; };
  return (
    <dialog ref={dialog} class="help" aria-label="Help" onClose={close} onClick={(e) => e.target === dialog.current && close()}>
      <h2>Keyboard</h2>
      <dl class="keys">
        {keys.map(([key, meaning]) => <div key={key}><dt><kbd>{key}</kbd></dt><dd>{meaning}</dd></div>)}
      </dl>
      <h2>Colors</h2>
      <ul class="legend">
        {frameClasses.map((type) => (
          <li key={type.id}>
            <i style={{ background: hexOf(type[store.dark.value ? 'dark' : 'light']) }} class={type.id === 'synthetic' ? 'dashed' : ''} />
            {type.label}
          </li>
        ))}
      </ul>
      <p>Packages differ in lightness. Drag over the timeline to select a time range, use the wheel to zoom, and
        double-click to reset. The URL contains the current view: copy it to share the view.</p>
      <button onClick={close}>Close</button>
    </dialog>
  );
}
