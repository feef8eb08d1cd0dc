// SPDX-License-Identifier: Apache-2.0
// Light or dark: the choice made on any of the pages, else the system's preference.
import { computed, effect, signal } from '../state/signals.ts';
import type { Store } from '../state/store.ts';

const place = 'sparkprof-theme';
type Theme = '' | 'light' | 'dark';

function stored(): Theme {
  try {
    const text = localStorage.getItem(place);
    return text === 'light' || text === 'dark' ? text : '';
  } catch {
    return '';
  }
}

const chosen = signal<Theme>(stored());
const preference = window.matchMedia('(prefers-color-scheme: dark)');
const systemDark = signal(preference.matches);
preference.addEventListener('change', () => {
  systemDark.value = preference.matches;
});

export const dark = computed(() => (chosen.value ? chosen.value === 'dark' : systemDark.value));
effect(() => {
  document.documentElement.dataset.theme = dark.value ? 'dark' : 'light';
});

export function chooseTheme(theme: Theme): void {
  chosen.value = theme;
  try {
    if (theme) localStorage.setItem(place, theme);
  } catch {
    // the choice lasts as long as the page
  }
}

/** A report's page shows the choice of all pages, and its own switch changes it. Returns a function that ends this. */
export function followTheme(store: Store): () => void {
  const stop = effect(() => {
    store.systemDark.value = dark.value;
  });
  let before = store.view.peek().theme;
  const stopOwn = effect(() => {
    const { theme } = store.view.value;
    if (theme !== before) chooseTheme(theme);
    before = theme;
  });
  return () => {
    stop();
    stopOwn();
  };
}
