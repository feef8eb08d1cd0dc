// SPDX-License-Identifier: Apache-2.0
// Quantities that stand in more than one place: what each place shows, and where two of them differ.

interface Seen {
  place: string;
  value: number | string;
  /** half a unit of the last digit that the place shows */
  within: number;
}

export interface Shown {
  value: number;
  within: number;
}

/** In ns, bytes, or as a share. */
const units: Record<string, number> = {
  ns: 1,
  us: 1e3,
  µs: 1e3,
  ms: 1e6,
  s: 1e9,
  min: 60e9,
  h: 3600e9,
  d: 86400e9,
  B: 1,
  KiB: 2 ** 10,
  MiB: 2 ** 20,
  GiB: 2 ** 30,
  TiB: 2 ** 40,
  '%': 0.01,
  k: 1e3,
  M: 1e6,
};

/** The number that a person reads in "33.1 min", "12.4 k", "about 1.3 s" or "< 0.1%"; null without a number. */
export function shownIn(text: string): Shown | null {
  const found = /([<>] ?)?(-?\d[\d,]*(?:\.(\d+))?)\s*(ns|us|µs|ms|s|min|h|d|B|KiB|MiB|GiB|TiB|%|k|M)?(?![\w])/.exec(text);
  if (!found) return null;
  const [, bound, digits, decimals = '', unit = ''] = found;
  const scale = units[unit] ?? 1;
  const value = Number(digits!.replaceAll(',', '')) * scale;
  // "< 0.1%" is any number up to it
  return { value, within: bound ? value : 0.5 * 10 ** -decimals.length * scale };
}

export class Quantities {
  private readonly seen = new Map<string, Map<string, Seen[]>>();

  /** Leaves out what a place does not know. `scale`: times which a number is in the quantity's unit. */
  add(quantity: string, place: string, value: unknown, { row = '', within = 0, scale = 1 } = {}): void {
    if (value === null || value === undefined) return;
    const seen: Seen =
      typeof value === 'object'
        ? { place, ...(value as Shown) }
        : { place, value: typeof value === 'number' ? value * scale : String(value), within };
    const rows = this.seen.get(quantity) ?? new Map<string, Seen[]>();
    this.seen.set(quantity, rows.set(row, [...(rows.get(row) ?? []), seen]));
  }

  /** The number in a text for people, if it has one. */
  addText(quantity: string, place: string, text: string | null | undefined, row = ''): void {
    const shown = shownIn(text ?? '');
    if (shown) this.add(quantity, place, shown, { row });
  }

  /** Adds all columns of a table that other tables may have by the same name. */
  addTable(table: string, place: string, rows: readonly object[], key: (row: never) => unknown): void {
    for (const row of rows) {
      for (const [column, value] of Object.entries(row))
        if (typeof value === 'number' || typeof value === 'boolean')
          this.add(`${table}: ${column}`, place, Number(value), { row: String(key(row as never)) });
    }
  }

  /** Quantities that stand in at least two places. */
  compared(): string[] {
    return [...this.seen].flatMap(([quantity, rows]) =>
      [...rows.values()].some((seen) => new Set(seen.map(({ place }) => place)).size > 1) ? [quantity] : [],
    );
  }

  /** How many values were compared with the same quantity's in the first place that has it. */
  comparisons(): number {
    return [...this.seen.values()].reduce(
      (sum, rows) => sum + [...rows.values()].reduce((all, seen) => all + Math.max(0, seen.length - 1), 0),
      0,
    );
  }

  /** "stages: duration of 4.0: 1018 in show stages, 1017 in REST"; of a quantity that differs in many rows, the first ones. */
  differences(most = 3): string[] {
    return [...this.seen].flatMap(([quantity, rows]) => {
      const all = [...rows].flatMap(([row, seen]) => {
        const exact = seen.reduce((best, one) => (one.within < best.within ? one : best));
        return seen.flatMap((one) =>
          isSame(exact, one) ? [] : [`${quantity}${row && ` of ${row}`}: ${exact.value} in ${exact.place}, ${one.value} in ${one.place}`],
        );
      });
      return all.length > most ? [...all.slice(0, most), `${quantity}: ${all.length - most} more`] : all;
    });
  }
}

function isSame(a: Seen, b: Seen): boolean {
  if (typeof a.value === 'string' || typeof b.value === 'string') return a.value === b.value;
  // the last term: a sum in another order
  return Math.abs(a.value - b.value) <= a.within + b.within + 1e-9 * Math.max(1, Math.abs(a.value));
}
