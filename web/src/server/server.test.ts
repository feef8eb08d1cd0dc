// SPDX-License-Identifier: Apache-2.0
import { readFileSync } from 'node:fs';
import { afterAll, describe, expect, it, vi } from 'vitest';
import { sideOf, swapped } from './compare/compare_sides.ts';
import { changesAlways } from './compare/compare_changes.ts';
import { pauseAfter } from './poll.ts';
import { ratioText } from './ratio.tsx';
import { refreshed } from './refreshed.ts';
import { curvesOfGroup, steps } from './series_points.ts';
import { centralSettings, sections } from './setting_table.ts';
import { fromInput, moment, rangeOf, toInput } from './times.ts';

afterAll(() => vi.unstubAllGlobals());
const hour = 3600e3;
const noon = new Date(2026, 10, 21, 12, 0).getTime();

describe('a refreshed list', () => {
  const row = (id: string, tasks: number) => ({ id, tasks });
  const keyOf = ({ id }: { id: string }) => id;
  const before = [row('b', 1), row('a', 2)];
  const after = [row('c', 1), row('a', 5), row('b', 1)];
  it('takes the new order when nobody uses it', () => expect(refreshed(before, after, keyOf, false)).toEqual({ rows: after, waiting: 0 }));
  it('keeps places and takes new values while it is in use', () =>
    expect(refreshed(before, after, keyOf, true)).toEqual({ rows: [row('b', 1), row('a', 5)], waiting: 1 }));
  it('shows the first answer at once', () => expect(refreshed([], after, keyOf, true).rows).toEqual(after));
});

describe('the pause between two requests', () => {
  it('is five seconds, or ten times what the last one took', () =>
    expect([pauseAfter(20, 0), pauseAfter(1200, 0)]).toEqual([5000, 12_000]));
  it('grows while the server fails, up to a minute', () =>
    expect([1, 2, 4, 9].map((failures) => pauseAfter(20, failures))).toEqual([5000, 10_000, 40_000, 60_000]));
});

describe('time ranges', () => {
  it('are relative or fixed, and anything else is any time', () => {
    expect(rangeOf(new URLSearchParams('range=24h'), noon)).toEqual({ from: noon - 24 * hour });
    expect(rangeOf(new URLSearchParams('from=5&to=9'), noon)).toEqual({ from: 5, to: 9 });
    expect(rangeOf(new URLSearchParams('range=soon&from=x'), noon)).toEqual({});
  });
  it('of the same link ask the same question for a minute', () =>
    expect(rangeOf(new URLSearchParams('range=1h'), noon + 29_000)).toEqual(rangeOf(new URLSearchParams('range=1h'), noon + 1000)));
  it('survive the inputs that edit them', () => expect(fromInput(toInput(noon))).toBe(noon));
  it('have moments that are as short as they can be', () => {
    expect([moment(noon - hour, noon), moment(noon - 48 * hour, noon), moment(noon - 400 * 24 * hour, noon), moment(0, noon)]).toEqual([
      '11:00',
      '11-19 12:00',
      '2025-10-17',
      '–',
    ]);
  });
});

describe('addresses', () => {
  it('change only what is asked, and lose what is empty', async () => {
    vi.stubGlobal('location', { search: '' });
    vi.stubGlobal('window', { addEventListener: () => {} });
    const { changed, pathWith } = await import('./query.ts');
    expect(pathWith('/', changed(new URLSearchParams('sort=name&cursor=x'), { cursor: null, search: 'a b', user: '' }))).toBe(
      '/?sort=name&search=a+b',
    );
    expect(pathWith('/', changed(new URLSearchParams('cursor=x'), { cursor: null }))).toBe('/');
  });
});

describe('the sides of a comparison', () => {
  it('are applications or ranges of groups', () => {
    const parameters = new URLSearchParams('a=app-1&bGroup=etl&bFrom=5&bTo=&view=stages');
    expect([sideOf(parameters, 'a'), sideOf(parameters, 'b')]).toEqual([
      { kind: 'application', id: 'app-1' },
      { kind: 'group', group: 'etl', from: 5, to: undefined },
    ]);
    expect(sideOf(new URLSearchParams('a=x'), 'b')).toBeNull();
  });
  it('change places and nothing else', () =>
    expect(swapped(new URLSearchParams('a=app-1&bGroup=etl&bFrom=5&view=stages')).toString()).toBe(
      'aFrom=5&aGroup=etl&b=app-1&view=stages',
    ));
  it('have ratios where there is something to divide by', () =>
    expect([ratioText(3, 2), ratioText(500, 2), ratioText(1, 0)]).toEqual(['1.50×', '250×', '–']));
  it('differ in some settings at every run', () => {
    const setting = (name: string, a: string | null = 'x', b: string | null = 'y') => ({ name, a, b });
    for (const each of [
      setting('Spark: spark.app.id'),
      setting('Spark: spark.driver.port'),
      setting('Classpath: spark://h:34433/jars/a.jar', null),
      setting('Spark: spark.sparkprof.nodeDir', '/tmp/sparkprof-run-22253-1795376426255', '/tmp/sparkprof-run-4226-1795364830805'),
    ])
      expect(changesAlways(each), each.name).toBe(true);
    for (const each of [
      setting('Spark: spark.executor.memory', '1000m', '2000m'),
      setting('Spark: spark.sql.shuffle.partitions', '200', '4000'),
      setting('Spark: spark.executor.extraJavaOptions', '-Xmx10000m', '-Xmx20000m'),
      setting('Spark: spark.eventLog.dir', '/logs/a', '/logs/b'),
      setting('sparkprof: cpu.interval'),
    ])
      expect(changesAlways(each), each.name).toBe(false);
  });
});

describe('maxima of a group', () => {
  it('are level within an hour, with a gap where an hour is missing', () =>
    expect(
      steps(
        [
          [10 * hour, 1],
          [11 * hour, 2],
          [14 * hour, 3],
        ],
        10 * hour,
      ),
    ).toEqual([
      [0, hour - 1, hour, 2 * hour - 1, 2 * hour, 4 * hour, 5 * hour - 1, 5 * hour],
      [1, 1, 2, 2, null, 3, 3, null],
    ]));
  it('come in order of interest, without empty ones and the profiler’s own', () => {
    const series = ['jvm.heap_used_bytes', 'agent.cpu_ns', 'process.cpu_ns', 'jvm.metaspace_bytes'].map((name) => ({
      name,
      points: [[0, 1]] as [number, number][],
    }));
    expect(curvesOfGroup([...series, { name: 'empty', points: [] }], 0).map(({ label, unit }) => `${label} ${unit}`)).toEqual([
      'CPU cores',
      'Heap used bytes',
      'metaspace bytes',
    ]);
  });
});

describe('the form of settings', () => {
  it('has those of the shared table that a server may change', () => {
    const settings = new Map(
      centralSettings(readFileSync(new URL('../../../settings/settings.tsv', import.meta.url), 'utf8')).map((setting) => [
        setting.key,
        setting,
      ]),
    );
    expect(settings.get('cpu.interval')).toMatchObject({ kind: 'duration', byDefault: '10ms', allowed: '100us..1m' });
    expect(settings.get('events')?.meaning).toMatch(/several with commas/);
    expect(settings.has('dir')).toBe(false);
    const keys = sections.flatMap(({ settings: rows }) => rows.map(({ key }) => key));
    expect(keys.sort()).toEqual([...settings.keys()].sort());
  });
});
