// SPDX-License-Identifier: Apache-2.0

/** Cuts the middle out of a text: names that differ only at the end stay different. */
export function cutMiddle(text: string, most: number): string {
  if (text.length <= most) return text;
  const head = Math.ceil((most - 1) / 2);
  return `${text.slice(0, head)}…${text.slice(text.length - (most - 1 - head))}`;
}
