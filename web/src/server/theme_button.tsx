// SPDX-License-Identifier: Apache-2.0
import { chooseTheme, dark } from './theme.ts';

/** Switches between light and dark colors. */
export function ThemeButton() {
  return (
    <button
      class="icon"
      aria-label={dark.value ? 'Use light colors' : 'Use dark colors'}
      title="Light or dark"
      onClick={() => chooseTheme(dark.value ? 'light' : 'dark')}>
      ◐
    </button>
  );
}
