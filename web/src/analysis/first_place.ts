// SPDX-License-Identifier: Apache-2.0

/** The first place below `length` where `holds`, else `length`. Where it holds once, it must hold for all later places. */
export function firstPlace(length: number, holds: (place: number) => boolean): number {
  let low = 0;
  let high = length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (holds(middle)) high = middle;
    else low = middle + 1;
  }
  return low;
}

/** In rising times, the place of the first after `ms`. */
export const firstAfter = (time: ArrayLike<number>, ms: number) => firstPlace(time.length, (place) => time[place]! > ms);
