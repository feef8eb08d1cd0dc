// SPDX-License-Identifier: Apache-2.0
import { describe, expect, it } from 'vitest';
import { smallModel, type SmallSample } from '../../../tests/small_report.ts';
import { buildFlame } from '../../state/flame.ts';
import { compileSelection, weigh } from '../selection.ts';
import { buildTimeOrder, whyNoTimeOrder } from './time_order.ts';
import type { Selection } from '../../data/contract.ts';

const second = 1e9;
const options = {
  reversed: false,
  byThread: false,
  timeOrder: true,
  sandwich: '',
  transforms: [],
  absolute: false,
  pyspark: false,
  plumbing: true,
};

function ordered(samples: SmallSample[], selection: Selection = {}, more = {}) {
  const model = smallModel(samples);
  const filter = compileSelection(model, selection, true);
  const { main } = buildFlame(model, [filter], [weigh(model, filter)], { ...options, ...more });
  const { layout, self } = main;
  const rows = [...layout.label].map(
    (label, row) => `${'  '.repeat(layout.depth[row]!)}${model.functions.name[label] ?? 'all'} ${layout.start[row]}+${layout.total[row]}`,
  );
  return { model, layout, rows, self: [...self[0]!] };
}

describe('stacks in order of time', () => {
  it('stand at their steps, and equal frames of neighboring steps join', () => {
    const { rows } = ordered([
      { stack: 'run;read', weight: second, bucket: 2 },
      { stack: 'run;sort', weight: second, bucket: 3 },
      { stack: 'run;read', weight: second, bucket: 4 },
    ]);
    expect(rows).toEqual(['all 2000+3000', '  run 2000+3000', '    read 2000+1000', '    sort 3000+1000', '    read 4000+1000']);
  });

  it('leave a gap where the thread did not run', () => {
    const { rows } = ordered([
      { stack: 'run', weight: second, bucket: 0 },
      { stack: 'run', weight: second / 4, bucket: 1 },
      { stack: 'run', weight: second, bucket: 5 },
    ]);
    expect(rows).toEqual(['all 0+6000', '  run 0+1250', '  run 5000+1000']);
  });

  it('share a step by weight, and keep their weights', () => {
    const { rows, self } = ordered([
      { stack: 'a', weight: 3 * second, bucket: 0 },
      { stack: 'b', weight: second, bucket: 0 },
    ]);
    expect(rows).toEqual(['all 0+1000', '  a 0+750', '  b 750+250']);
    expect(self).toEqual([0, 3 * second, second]);
  });

  it('follow transforms', () => {
    const { rows } = ordered(
      [
        { stack: 'run;read', weight: second, bucket: 0 },
        { stack: 'sleep', weight: second, bucket: 1 },
      ],
      {},
      {
        transforms: [
          { kind: 'focus', name: 'read' },
          { kind: 'hide', name: 'run' },
        ],
      },
    );
    expect(rows).toEqual(['all 0+1000', '  read 0+1000']);
  });

  it('have a subtree that ends where the next begins', () => {
    const { layout } = ordered([
      { stack: 'a;b', weight: second, bucket: 0 },
      { stack: 'c', weight: second, bucket: 1 },
    ]);
    expect([...layout.next]).toEqual([4, 3, 3, 4]);
  });

  it('join steps where there are too many rows', () => {
    const model = smallModel(Array.from({ length: 1200 }, (_, i) => ({ stack: `a${i % 2};b;c;d`, weight: second, bucket: i })));
    const { stepMs, layout } = buildTimeOrder(
      model,
      compileSelection(model, {}, true),
      model.tree,
      Int32Array.from({ length: model.tree.count }, (_, node) => node),
      0,
      4000,
    );
    expect(layout.count).toBeLessThanOrEqual(4001);
    expect(stepMs).toBeGreaterThan(1000);
    expect(stepMs % 1000).toBe(0);
    expect(layout.total[0]).toBe(1_200_000);
  });
});

describe('time order', () => {
  const samples = [
    { stack: 'a', weight: 1, bucket: 0, thread: 0, task: 0 },
    { stack: 'b', weight: 1, bucket: 1, thread: 1, task: 0 },
    { stack: 'c', weight: 1, bucket: 1, thread: 1 },
  ];
  const why = (selection: Selection) => {
    const model = smallModel(samples);
    return whyNoTimeOrder(model, selection, compileSelection(model, selection, true));
  };
  it('needs one thread or task', () => expect(why({})).toMatch(/choose one/));
  it('is there for one task', () => expect(why({ task: 10 })).toBe(''));
  it('needs samples of several steps', () => expect(why({ thread: 200 })).toMatch(/one time step/));
});
