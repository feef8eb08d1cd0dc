// SPDX-License-Identifier: Apache-2.0
import { signal } from './signals.ts';

const paper = typeof matchMedia === 'function' ? matchMedia('print') : null;
/** The page is drawn for paper: light, and without what only a screen scrolls to. */
export const printing = signal(paper?.matches ?? false);
paper?.addEventListener('change', () => {
  printing.value = paper.matches;
});
// Before the page is laid out for paper; the change of the media may come after it.
globalThis.addEventListener?.('beforeprint', () => {
  printing.value = true;
});
globalThis.addEventListener?.('afterprint', () => {
  printing.value = paper?.matches ?? false;
});
