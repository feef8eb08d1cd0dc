// SPDX-License-Identifier: Apache-2.0
/** Arrow keys walk along the buttons of an element that is one tab stop. Returns the buttons and the place of the new one; null for none. */
export function moveAlong(event: KeyboardEvent): { buttons: HTMLElement[]; at: number } | null {
  const step = event.key === 'ArrowRight' ? 1 : event.key === 'ArrowLeft' ? -1 : 0;
  const buttons = [...(event.currentTarget as HTMLElement).querySelectorAll<HTMLElement>('button')];
  const at = buttons.indexOf(document.activeElement as HTMLElement) + step;
  if (!step || !buttons[at]) return null;
  event.preventDefault();
  buttons[at].focus();
  return { buttons, at };
}
