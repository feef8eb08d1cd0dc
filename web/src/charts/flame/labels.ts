// SPDX-License-Identifier: Apache-2.0
// Frame names, shortened for display. Tooltips and copies have the complete name.

import { cutToWidth } from '../cut_middle.ts';

const topPackages = new Set(['org', 'com', 'java', 'javax', 'jdk', 'sun', 'scala', 'io', 'net', 'edu', 'dev', 'py4j', 'kotlin']);

/** `org.apache.spark.sql.X.m` -> `o.a.s.sql.X.m`: the first three packages by their initials. */
export function shortName(name: string): string {
  const dotted = isPath(name) ? name : name.replaceAll('/', '.');
  const parts = dotted.split('.');
  if (parts.length < 3 || !topPackages.has(parts[0]!)) return name;
  let shortened = 0;
  while (shortened < 3 && shortened < parts.length - 2 && /^[a-z_]/.test(parts[shortened]!)) {
    parts[shortened] = parts[shortened]![0]!;
    shortened++;
  }
  return parts.join('.');
}

function isPath(name: string): boolean {
  return name.startsWith('/') || /\.(py|so|c|cc|cpp|h)\b/.test(name);
}

/** From the longest to the shortest way to write a name. */
export function labelVariants(name: string): string[] {
  const variants = [shortName(name)];
  const parts = (isPath(name) ? name : name.replaceAll('/', '.')).split('.');
  const type = parts.findIndex((part, i) => i > 0 && /^[A-Z]/.test(part));
  if (topPackages.has(parts[0]!) && type > 0) variants.push(parts.slice(type).join('.'));
  if (topPackages.has(parts[0]!) && parts.length > 1) variants.push(parts[parts.length - 1]!);
  return variants;
}

/** Class and method apart from the packages, for tables where the end of a name matters most. */
export function splitName(name: string): { own: string; packages: string } {
  const short = shortName(name);
  const own = labelVariants(name)[1];
  return own && short.endsWith(own) && own.length < short.length
    ? { own, packages: short.slice(0, short.length - own.length - 1) }
    : { own: short, packages: '' };
}

/** Shorter pieces of names cannot be told apart. */
const fewestLetters = 6;

/** Fits names into pixel widths; caches measurements. */
export class LabelFitter {
  private readonly widths = new Map<string, number>();
  private readonly variants = new Map<number, string[]>();

  constructor(
    private readonly context: CanvasRenderingContext2D,
    private readonly nameOf: (label: number) => string,
  ) {}

  /** The longest spelling that fits, its end cut if necessary; empty below six letters. */
  fit(label: number, width: number): string {
    let variants = this.variants.get(label);
    if (!variants) {
      variants = labelVariants(this.nameOf(label));
      this.variants.set(label, variants);
    }
    for (const text of variants) if (this.measure(text) <= width) return text;
    return cutToWidth(variants[variants.length - 1]!, width, fewestLetters, (text) => this.measure(text));
  }

  private measure(text: string): number {
    let width = this.widths.get(text);
    if (width === undefined) {
      width = this.context.measureText(text).width;
      this.widths.set(text, width);
    }
    return width;
  }
}
