// SPDX-License-Identifier: Apache-2.0
// What can be done with a table: choose its columns, and save it as CSV.
import { saveCsv } from '../state/csv.ts';

type Value = (row: number) => number | string;

/** A column of a CSV file. */
export interface SavedColumn {
  id: string;
  label: string;
  value: Value;
  /** of the value */
  unit?: string;
  /** heads and values that stand for it there, if it is none itself */
  saved?: [head: string, value: Value][];
}

interface Properties {
  label: string;
  columns: SavedColumn[];
  hidden: Set<string>;
  setHidden(hidden: Set<string>): void;
  /** in the order of the table */
  rows: number[];
}

export function TableTools({ label, columns, hidden, setHidden, rows }: Properties) {
  const toggle = (id: string) => {
    const next = new Set(hidden);
    if (!next.delete(id)) next.add(id);
    setHidden(next);
  };
  const save = () => {
    const shown = columns
      .filter(({ id, label: head }) => head !== '' && !hidden.has(id))
      .flatMap(
        ({ label: head, unit = 'count', value, saved }) => saved ?? [[unit === 'count' ? head : `${head} (${unit})`, value] as const],
      );
    saveCsv(
      label,
      shown.map(([head]) => head),
      rows.map((row) => shown.map(([, value]) => value(row))),
    );
  };
  return (
    <div class="table-tools">
      <details>
        <summary>Columns</summary>
        <div class="column-list">
          {columns
            .filter(({ label: head }) => head !== '')
            .map(({ id, label: head }) => (
              <label key={id}>
                <input type="checkbox" checked={!hidden.has(id)} onChange={() => toggle(id)} /> {head}
              </label>
            ))}
        </div>
      </details>
      <button title="Save the table as CSV, with exact numbers" onClick={save}>
        CSV
      </button>
    </div>
  );
}
