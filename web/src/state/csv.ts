// SPDX-License-Identifier: Apache-2.0
/** A text that starts like a formula would run in a spreadsheet. */
const formula = /^[=+\-@\t\r]/;

function cell(value: string | number): string {
  if (typeof value === 'number') return String(value);
  const text = formula.test(value) ? `'${value}` : value;
  return /[",\n\r]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

/** RFC 4180, with \n. */
export function toCsv(heads: string[], rows: (string | number)[][]): string {
  return [heads, ...rows].map((row) => `${row.map(cell).join(',')}\n`).join('');
}
