// SPDX-License-Identifier: Apache-2.0
// A name that loses its middle where it does not fit: the ends tell similar names apart.

const shortest = 16;
const longestTail = 14;

export function LongName({ text }: { text: string }) {
  if (text.length < shortest) return <>{text}</>;
  const tail = Math.min(longestTail, text.length >> 1);
  return (
    <span class="long-name">
      <span>{text.slice(0, -tail)}</span>
      <span>{text.slice(-tail)}</span>
    </span>
  );
}
