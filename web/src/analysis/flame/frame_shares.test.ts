// SPDX-License-Identifier: Apache-2.0
import { expect, it } from 'vitest';
import { smallModel } from '../../../tests/small_report.ts';
import { Origin } from '../../data/contract.ts';
import { activityOf, weightOfClasses } from './frame_shares.ts';
import { compileSelection, weigh } from '../selection.ts';

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

it('adds up the activity of each executor by class and step of time', () => {
  const model = smallModel([
    { stack: 'spark', weight: 2, executor: 0, bucket: 1 },
    { stack: 'spark', weight: 3, executor: 1, bucket: 0 },
    { stack: 'mine', weight: 5, executor: 1, bucket: 1 },
  ]);
  model.functions.name.forEach((name, label) => {
    model.functions.origin[label] = name === 'mine' ? Origin.User : Origin.Spark;
  });
  const activity = activityOf(model, compileSelection(model, {}, true), (_, origin) => origin, 3);
  expect(activity.map(({ executor, total }) => [executor, total])).toEqual([
    [0, 2],
    [1, 8],
  ]);
  expect([...activity[1]!.weights[Origin.Spark]!].slice(0, 2)).toEqual([3, 0]);
  expect([...activity[1]!.weights[Origin.User]!].slice(0, 2)).toEqual([0, 5]);
});
