// SPDX-License-Identifier: Apache-2.0
// A list that draws only the rows in sight is one tab stop: keys move to other rows, and scroll to them.
import { useLayoutEffect, useRef, useState } from 'preact/hooks';
import type { RefObject } from 'preact';

interface List {
  scroller: RefObject<HTMLElement | null>;
  rows: { readonly length: number; indexOf(row: number): number; [at: number]: number };
  /** px */
  rowHeight: number;
  /** of a head that covers the first rows in sight */
  headRows: number;
  /** draws the rows that are now in sight */
  look(): void;
  /** absent: the row has a link or button of its own */
  pick?(row: number): void;
}

/** The element of a row that takes the focus: the link or button of its first cell, else the row itself. */
const stopOf = (row: HTMLElement) => row.querySelector<HTMLElement>('.cell-link') ?? row;

export function useRowCursor({ scroller, rows, rowHeight, headRows, look, pick }: List) {
  const [cursor, setCursor] = useState(-1);
  const moved = useRef(false);
  useLayoutEffect(() => {
    if (!moved.current) return;
    moved.current = false;
    const row = scroller.current?.querySelector<HTMLElement>(`[data-row="${cursor}"]`);
    if (row) stopOf(row).focus({ preventScroll: true });
  });
  const moveTo = (place: number) => {
    const at = Math.max(0, Math.min(rows.length - 1, place));
    const element = scroller.current!;
    const top = at * rowHeight;
    const below = top + (1 + headRows) * rowHeight - element.clientHeight;
    element.scrollTop = Math.max(Math.min(element.scrollTop, top), below);
    look();
    moved.current = true;
    setCursor(rows[at]!);
  };
  const onKey = (event: KeyboardEvent) => {
    const target = event.target as HTMLElement;
    const its = target.closest<HTMLElement>('[data-row]');
    if (!its || stopOf(its) !== target) return;
    const row = Number(its.dataset.row);
    const at = rows.indexOf(row);
    const page = Math.max(1, Math.floor(scroller.current!.clientHeight / rowHeight) - 1 - headRows);
    const to: Record<string, number> = {
      ArrowDown: at + 1,
      ArrowUp: at - 1,
      PageDown: at + page,
      PageUp: at - page,
      Home: 0,
      End: rows.length - 1,
    };
    if (event.key === 'Enter' && pick) pick(row);
    else if (event.key in to) moveTo(to[event.key]!);
    else return;
    event.preventDefault();
  };
  return { cursor, setCursor, onKey };
}
