// SPDX-License-Identifier: Apache-2.0
import { signal } from '@preact/signals';

const paper = typeof matchMedia === 'function' ? matchMedia('print') : null;
/** The page is drawn for paper: light, and without what only a screen scrolls to. */
export const printing = signal(paper?.matches ?? false);
paper?.addEventListener('change', () => { printing.value = paper.matches; });
