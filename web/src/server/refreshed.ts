// SPDX-License-Identifier: Apache-2.0
/**
 * The rows to show after a refresh. While somebody uses the table, rows keep their places: known ones get their new
 * values, new ones wait until the reader wants them.
 */
export function refreshed<Row>(before: Row[], after: Row[], keyOf: (row: Row) => string, inUse: boolean): { rows: Row[]; waiting: number } {
  if (!inUse || before.length === 0) return { rows: after, waiting: 0 };
  const now = new Map(after.map((row) => [keyOf(row), row]));
  const rows = before.map((row) => now.get(keyOf(row)) ?? row);
  const known = new Set(before.map(keyOf));
  return { rows, waiting: after.filter((row) => !known.has(keyOf(row))).length };
}
