// SPDX-License-Identifier: Apache-2.0
// The page's parts in the order in which they may use each other, without circles.
import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { describe, expect, it } from 'vitest';

const source = import.meta.dirname;
const level: Record<string, number> = { data: 0, analysis: 1, charts: 2, state: 3, views: 4, server: 5, fleet: 6 };
const files = readdirSync(source, { recursive: true, encoding: 'utf8' }).filter((name) => /\.tsx?$/.test(name) && !name.includes('.test.'));
const importsOf = new Map(
  files.map((file) => {
    const text = readFileSync(join(source, file), 'utf8');
    const names = [...text.matchAll(/from '(\.[^']+\.tsx?)'/g)].map((match) => match[1]!);
    return [file, names.map((name) => relative(source, join(source, dirname(file), name)))];
  }),
);

function circleFrom(file: string, path: string[], done: Set<string>): string[] | null {
  if (path.includes(file)) return [...path.slice(path.indexOf(file)), file];
  if (done.has(file)) return null;
  for (const next of importsOf.get(file) ?? []) {
    const circle = circleFrom(next, [...path, file], done);
    if (circle) return circle;
  }
  done.add(file);
  return null;
}

describe('imports', () => {
  it('form no circle', () => {
    expect(files.length).toBeGreaterThan(50);
    const done = new Set<string>();
    for (const file of files) expect(circleFrom(file, [], done)).toBeNull();
  });

  it('go in one direction: data, analysis, charts, state, views, server, fleet', () => {
    const place = (file: string) => level[file.split('/')[0]!] ?? 7;
    const against = [...importsOf].flatMap(([file, imports]) =>
      imports.filter((name) => importsOf.has(name) && place(name) > place(file)).map((name) => `${file} imports ${name}`),
    );
    expect(against).toEqual([]);
  });
});
