// SPDX-License-Identifier: Apache-2.0
import { expect, it } from 'vitest';
import { labelVariants, shortName, splitName } from './labels.ts';

it('shortens the first three packages', () => {
  expect(shortName('org.apache.spark.sql.execution.aggregate.HashAggregateExec.doExecute')).toBe(
    'o.a.s.sql.execution.aggregate.HashAggregateExec.doExecute',
  );
  expect(shortName('java/util/HashMap.get')).toBe('j.u.HashMap.get');
});
it('leaves other names alone', () => {
  for (const name of ['demo_job.py:score', 'G1CMTask::do_marking_step', '[waiting for Python]', 'main', '/usr/lib/x.so', 'Class.method']) {
    expect(shortName(name)).toBe(name);
  }
});
it('has shorter ways for narrow frames', () => {
  expect(labelVariants('java.util.HashMap.getNode')).toEqual(['j.u.HashMap.getNode', 'HashMap.getNode', 'getNode']);
});
it('sets class and method apart', () => {
  expect(splitName('java.util.HashMap.getNode')).toEqual({ own: 'HashMap.getNode', packages: 'j.u' });
  expect(splitName('main')).toEqual({ own: 'main', packages: '' });
});
