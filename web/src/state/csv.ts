// SPDX-License-Identifier: Apache-2.0
/** A text that starts like a formula would run in a spreadsheet; a negative number is one only for its sign. */
const formula = /^[=+\-@\t\r\n](?!(?<=-)\d+(\.\d+)?(e[+-]?\d+)?$)/i;

function cell(value: string | number): string {
  if (typeof value === 'number') return String(value);
  const text = formula.test(value) ? `'${value}` : value;
  return /[",\n\r]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

/** RFC 4180, with \n. */
export function toCsv(heads: string[], rows: (string | number)[][]): string {
  return [heads, ...rows].map((row) => `${row.map(cell).join(',')}\n`).join('');
}

/** Lets the browser save a table; `label` becomes the file's name. */
export function saveCsv(label: string, heads: string[], rows: (string | number)[][]): void {
  const link = document.createElement('a');
  link.href = URL.createObjectURL(new Blob([toCsv(heads, rows)], { type: 'text/csv' }));
  link.download = `${label.toLowerCase().replaceAll(/\W+/g, '-')}.csv`;
  link.click();
  URL.revokeObjectURL(link.href);
}
