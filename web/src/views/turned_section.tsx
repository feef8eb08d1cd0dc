// SPDX-License-Identifier: Apache-2.0
// A section with a head that opens and closes it; the address keeps whether it was turned.
import type { ComponentChildren } from 'preact';
import { count } from '../state/format.ts';
import { usePart } from '../state/store.ts';

interface Properties {
  class: string;
  title: string;
  /** of its entries, beside the title */
  number: number;
  isOpenAtFirst: boolean;
  children(open: boolean): ComponentChildren;
}

export function TurnedSection({ class: name, title, number, isOpenAtFirst, children }: Properties) {
  const [turned, setTurned] = usePart(`turned.${title}`);
  const open = isOpenAtFirst === (turned === '');
  return (
    <details
      class={name}
      open={open}
      onToggle={(event) => {
        if (event.currentTarget.open !== open) setTurned(turned === '' ? '1' : '');
      }}>
      <summary>
        <h2>
          {title} <span class="quiet">{count(number)}</span>
        </h2>
      </summary>
      {children(open)}
    </details>
  );
}
