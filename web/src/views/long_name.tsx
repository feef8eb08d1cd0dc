// SPDX-License-Identifier: Apache-2.0
// A name that loses its middle where it does not fit: the ends tell similar names apart.

const shortest = 28;
const tail = 14;

export function LongName({ text }: { text: string }) {
  if (text.length < shortest) return <>{text}</>;
  return <span class="long-name"><span>{text.slice(0, -tail)}</span><span>{text.slice(-tail)}</span></span>;
}
