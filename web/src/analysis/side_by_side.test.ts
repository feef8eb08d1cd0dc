// SPDX-License-Identifier: Apache-2.0
import { describe, expect, it } from 'vitest';
import { asText, smallModel } from '../../tests/small_report.ts';
import { withDefaults } from '../data/decode.ts';
import { Model } from '../data/model.ts';
import { demoReport } from '../../tests/make_data.ts';
import { compileSelection, weigh } from './selection.ts';
import { lastingFile, sideBySide } from './side_by_side.ts';

function weights(model: Model, selection: object) {
  return asText(model.tree, weigh(model, compileSelection(model, selection, true)).self, (label) => model.functions.name[label]!);
}

describe('two recordings side by side', () => {
  const a = smallModel([
    { stack: 'a;x', weight: 30 },
    { stack: 'a;y', weight: 10 },
  ]);
  const b = smallModel([
    { stack: 'b;x', weight: 5 },
    { stack: 'a;x', weight: 7 },
  ]);
  const both = new Model(withDefaults(sideBySide([a.report, b.report], ['first', 'second'])));

  it('keep their own weights, each as one executor', () => {
    expect(weights(both, { executor: 'A' })).toEqual({ 'a;x': 30, 'a;y': 10 });
    expect(weights(both, { executor: 'B' })).toEqual({ 'b;x': 5, 'a;x': 7 });
    expect(both.report.threads.map(({ name }) => name)).toEqual(['first', 'second']);
  });

  it('have the same totals as alone, for every event and with idle threads hidden', () => {
    const report = demoReport();
    const alone = new Model(report);
    const twice = new Model(withDefaults(sideBySide([report, report], ['one', 'two'])));
    for (const { name } of report.events) {
      for (const hidden of [true, false]) {
        const expected = weigh(alone, compileSelection(alone, { event: name }, hidden));
        for (const executor of ['A', 'B']) {
          const side = weigh(twice, compileSelection(twice, { event: name, executor }, hidden));
          expect(side.total).toBeCloseTo(expected.total, 0);
          expect([side.count, Math.round(side.idle)]).toEqual([expected.count, Math.round(expected.idle)]);
        }
      }
    }
  });

  it('have the same functions though their files lie elsewhere', () => {
    expect(lastingFile('/tmp/sparkprof-run-22253-1795376426255/sparkprof_python_22255.py')).toBe(
      lastingFile('/tmp/sparkprof-run-4226-1795364830805/sparkprof_python_4228.py'),
    );
    expect(lastingFile('/data/yarn/application_1795_0001/container_1795_0001_01_000002/pyspark.zip/pyspark/daemon.py')).toBe(
      'pyspark/daemon.py',
    );
    expect(lastingFile('/tmp/spark-1/userFiles-3f2504e0-4f89-41d3-9a0c-0305e82c3301/job.py')).toBe('userFiles-#/job.py');
    expect([lastingFile('job.py'), lastingFile('<frozen runpy>'), lastingFile('')]).toEqual(['job.py', '<frozen runpy>', '']);
    expect(lastingFile('/app/a/__init__.py')).not.toBe(lastingFile('/app/b/__init__.py'));
  });

  it('may be empty', () => {
    const one = new Model(withDefaults(sideBySide([a.report, withDefaults({})], ['first', 'nothing'])));
    expect(weights(one, { executor: 'B' })).toEqual({});
  });
});
