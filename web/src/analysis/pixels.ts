// SPDX-License-Identifier: Apache-2.0

/** The highest of values that hold from their time until the next one, within each pixel between two times; 0 where there is none. */
export function highestPerPixel(
  time: ArrayLike<number>,
  value: ArrayLike<number | null>,
  from: number,
  to: number,
  pixels: number,
): Float64Array {
  const highest = new Float64Array(pixels);
  const placeOf = (ms: number) => ((ms - from) / Math.max(1e-9, to - from)) * pixels;
  for (let i = 0; i < time.length; i++) {
    const until = i + 1 < time.length ? time[i + 1]! : to;
    if (until < from || time[i]! > to) continue;
    const end = Math.min(pixels, Math.ceil(placeOf(until)));
    for (let x = Math.max(0, Math.floor(placeOf(time[i]!))); x < end; x++) highest[x] = Math.max(highest[x]!, value[i] ?? 0);
  }
  return highest;
}
