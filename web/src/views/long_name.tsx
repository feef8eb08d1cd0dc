// SPDX-License-Identifier: Apache-2.0
// A name that loses its middle where it does not fit: the ends tell similar names apart.

const shortest = 16;
const longestTail = 14;
/** A file with its line is never cut, however long: `nds_power.py:191 ×17` with how often it ran, `(job.py:19)` behind its function. */
const lastLine = /[^\s/]+:\d+\)?( ×\d+)?$/;
/** A tail of whole words may be that long. */
const lastWords = /(?<= ).{4,16}$/;

export function LongName({ text }: { text: string }) {
  const line = text.replace(/\s+/g, ' ');
  if (line.length < shortest) return <>{line}</>;
  const tail = (lastLine.exec(line) ?? lastWords.exec(line))?.[0].length ?? Math.min(longestTail, line.length >> 1);
  return (
    <span class="long-name">
      <span>{line.slice(0, -tail)}</span>
      <span>{line.slice(-tail)}</span>
    </span>
  );
}
