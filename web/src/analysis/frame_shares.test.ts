// SPDX-License-Identifier: Apache-2.0
import { expect, it } from 'vitest';
import { smallModel } from '../../tests/small_report.ts';
import { Origin } from '../data/contract.ts';
import { weightOfClasses } from './frame_shares.ts';
import { compileSelection, weigh } from './selection.ts';

it('counts each sample once, and the JDK for its caller', () => {
  const model = smallModel([
    { stack: 'spark;mine;map', weight: 7 },
    { stack: 'spark;map', weight: 2 },
    { stack: 'spark', weight: 1 },
  ]);
  const origins: Record<string, number> = { spark: Origin.Spark, mine: Origin.User, map: Origin.Jdk };
  model.functions.name.forEach((name, label) => {
    model.functions.origin[label] = origins[name]!;
  });
  const sums = weightOfClasses(model, weigh(model, compileSelection(model, {}, true)), (_, origin) => origin);
  expect(sums).toEqual(
    new Map([
      [Origin.User, 7],
      [Origin.Spark, 3],
    ]),
  );
});
