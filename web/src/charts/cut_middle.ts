// SPDX-License-Identifier: Apache-2.0

/** Cuts the middle out of a text: names that differ only at the end stay different. */
export function cutMiddle(text: string, most: number): string {
  if (text.length <= most) return text;
  const head = Math.ceil((most - 1) / 2);
  return `${text.slice(0, head)}…${text.slice(text.length - (most - 1 - head))}`;
}

/** Cuts the end off, down to a width in pixels; empty where fewer than `fewest` letters fit. */
export function cutToWidth(text: string, width: number, fewest: number, measure: (text: string) => number): string {
  const whole = measure(text);
  if (whole <= width) return text;
  for (let room = Math.floor(text.length * (width / whole)); room >= fewest; room--) {
    const cut = `${text.slice(0, room)}…`;
    if (measure(cut) <= width) return cut;
  }
  return '';
}
