// SPDX-License-Identifier: Apache-2.0
import { frameClasses, hexOf } from '../charts/flame/colors.ts';
import { useStore } from '../state/store.ts';
import { answerKey } from './answers/answer_bar.tsx';
import { KeyList } from './key_list.tsx';

const keys: [string, string][] = [
  [answerKey, 'go to anything: a task, stage, setting, function, query'],
  ['/', 'search'],
  ['Esc', 'back out: menu, search, zoom, comparison'],
  ['← ↑ → ↓', 'move through frames'],
  ['Enter', 'zoom into the frame'],
  ['Backspace', 'zoom out'],
  ['i', 'icicles or flames'],
  ['r', 'reverse: show callers'],
  ['o', 'order of time: stacks of one thread or task'],
  ['s', 'sandwich: callers and callees of the frame'],
  ['t', 'table of functions'],
  ['m', 'menu of the frame'],
  ['l', 'time axis on or off'],
  ['+ - 0', 'on the time axis: zoom, show all'],
  ['Home End', 'in a table: first and last row'],
  ['1 – 9, 0', 'tabs'],
  ['c', 'compare'],
  ['?', 'this help'],
];

export function Help() {
  const store = useStore();
  return (
    <KeyList
      keys={keys}
      close={() => {
        store.help.value = false;
      }}>
      <h2>Colors</h2>
      <ul class="legend">
        {frameClasses.map((type) => (
          <li key={type.id}>
            <i style={{ background: hexOf(type[store.dark.value ? 'dark' : 'light']) }} class={type.id === 'synthetic' ? 'dashed' : ''} />
            {type.label}
          </li>
        ))}
      </ul>
      <p>
        Drag over the time axis to select a time range, use the wheel to zoom, and double-click to reset. Copy the URL to share the view.
      </p>
    </KeyList>
  );
}
