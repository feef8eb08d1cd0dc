// SPDX-License-Identifier: Apache-2.0
// The order of a table's rows, also of very many.

/** Places in `keys` by their keys; equal ones stay in order. */
export function orderOf(keys: (number | string)[], ascending: boolean): Uint32Array {
  const direction = ascending ? 1 : -1;
  // `+ 0` makes -0, which is below 0, equal to it
  if (keys.every((key) => typeof key === 'number')) return orderOfNumbers(new Float64Array(keys.map((key) => direction * key + 0)));
  return Uint32Array.from(keys.keys()).sort((a, b) => {
    const [x, y] = [keys[a]!, keys[b]!];
    return direction * (typeof x === 'string' || typeof y === 'string' ? String(x).localeCompare(String(y)) : x - y) || a - b;
  });
}

/** A radix sort by 16 bits at a time: ten times as fast as one that calls a function for each comparison. Changes the keys. */
function orderOfNumbers(keys: Float64Array): Uint32Array {
  const halves = new Uint32Array(keys.buffer);
  // of numbers below 0 all bits, of others the sign: then their bits are in the order of the numbers
  for (let high = 1; high < halves.length; high += 2) {
    const flip = halves[high]! >>> 31 ? 0xffffffff : 0;
    halves[high - 1]! ^= flip;
    halves[high]! ^= flip | 0x80000000;
  }
  const digits = new Uint16Array(keys.buffer);
  let order = Uint32Array.from(keys.keys());
  for (let digit = 0; digit < 4; digit++) {
    const starts = new Uint32Array(0x10001);
    for (let at = digit; at < digits.length; at += 4) starts[digits[at]! + 1]!++;
    // all alike, as the last ones of integers
    if (starts[digits[digit]! + 1] === order.length) continue;
    for (let value = 1; value < starts.length; value++) starts[value]! += starts[value - 1]!;
    const next = new Uint32Array(order.length);
    for (const place of order) next[starts[digits[4 * place + digit]!]!++] = place;
    order = next;
  }
  return order;
}
