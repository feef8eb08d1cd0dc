// SPDX-License-Identifier: Apache-2.0
import { describe, expect, it } from 'vitest';
import { changeColor, classOf, contrast, frameClasses, functionColors, hashOf, packageOf } from './colors.ts';
import { barColor } from '../timeline/palette.ts';

const kinds = [1, 2, 3, 4, 5, 6, 7];
const origins = [0, 1, 2, 3, 4, 5];
const names = Array.from({ length: 400 }, (_, i) => `org.pack${hashOf(String(i))}.Class.method`);

describe('colors', () => {
  for (const dark of [false, true]) {
    it(`text on every frame has a contrast of 4.5 (${dark ? 'dark' : 'light'})`, () => {
      for (const mode of ['kind', 'package'] as const) {
        for (const kind of kinds) {
          for (const origin of origins) {
            for (const { fill, text } of functionColors(
              names,
              new Uint8Array(400).fill(kind),
              new Uint8Array(400).fill(origin),
              mode,
              dark,
            )) {
              expect(contrast(fill, text), `${fill} ${text}`).toBeGreaterThanOrEqual(4.5);
            }
          }
        }
      }
      for (let change = -1; change <= 1; change += 0.05) {
        const { fill, text } = changeColor(change, dark);
        expect(contrast(fill, text)).toBeGreaterThanOrEqual(4.5);
      }
      for (let i = 0; i < 16; i++) expect(contrast(barColor(i, dark), dark ? '#f7f8fa' : '#14171a')).toBeGreaterThanOrEqual(4.5);
    });
  }
  it('tell the user’s code from Spark’s in either language', () => {
    expect(frameClasses[classOf(1, 1)]!.id).toBe('user');
    expect(frameClasses[classOf(6, 1)]!.id).toBe('user');
    expect(frameClasses[classOf(1, 2)]!.id).toBe('spark');
    expect(frameClasses[classOf(5, 0)]!.id).toBe('kernel');
    expect(frameClasses[classOf(7, 1)]!.id).toBe('synthetic');
  });
  // src/render/svg/flame_output_test.cc has the same rows
  it('are those of SVG flame graphs', () => {
    for (const [name, kind, origin, fill] of [
      ['com.example.Job.map', 1, 1, '#ff9138'],
      ['org.apache.spark.sql.Dataset.collect', 1, 2, '#93c7ec'],
      ['java.util.HashMap.get', 2, 3, '#d4dbe2'],
      ['org.rocksdb.RocksDB.get', 3, 0, '#a6dbc3'],
      ['memcpy', 4, 0, '#ccbeab'],
      ['do_syscall_64', 5, 0, '#e0a7c1'],
      ['score (job.py)', 6, 1, '#fb8d33'],
      ['loads (decoder.py)', 6, 4, '#eae091'],
      ['G1ParTask::work', 4, 5, '#c5aee1'],
      ['[waiting for Python]', 7, 0, '#ebeef1'],
    ] as const)
      expect(functionColors([name], Uint8Array.of(kind), Uint8Array.of(origin), 'kind', false)[0]!.fill, name).toBe(fill);
  });
  it('packages end before the class', () => {
    expect(packageOf('org.apache.spark.sql.Dataset.collect')).toBe('org.apache.spark.sql');
    expect(packageOf('demo_job.py:score')).toBe('demo_job');
  });
});
