// SPDX-License-Identifier: Apache-2.0
import { describe, expect, it } from 'vitest';
import { defaultView, fromHash, toHash, type View } from './view.ts';

const round = (view: View) => fromHash(`#${toHash(view)}`);

describe('the hash', () => {
  it('is empty for the default view', () => expect(toHash(defaultView)).toBe(''));
  it('holds the whole view', () => {
    const view: View = {
      tab: 'flame',
      selection: {
        event: 'wall',
        job: 0,
        stage: 3,
        stageAttempt: 1,
        task: [7, 12],
        sql: 0,
        executor: '!2',
        thread: 4100,
        from: 0,
        to: 2500,
        search: 'a;b|c&d=+%',
      },
      versus: { stage: 3, task: 'median', thread: 'G1 Conc#0' },
      flames: true,
      reversed: true,
      byThread: true,
      timeOrder: true,
      sandwich: 'java.util.HashMap.get',
      color: 'package',
      showIdle: true,
      stem: true,
      pyspark: true,
      plumbing: true,
      table: true,
      tree: true,
      absolute: true,
      transforms: [
        { kind: 'hide', name: 'x::y' },
        { kind: 'focus', name: 'lambda$main$0(a, b)' },
      ],
      zoom: 412,
      timeline: false,
      window: { from: 100, to: 9000 },
      timelineHeight: 320,
      allCurves: true,
      tasksOf: '3.1',
      theme: 'dark',
      logs: true,
      moment: 12_345,
      parts: { 'sort.Stages': '-gc', 'node.4': '2' },
      metrics: ['process.cpu_ns', 'jvm.heap_used_bytes'],
    };
    expect(round(view)).toEqual(view);
  });
  it('tells a thread’s name from its number', () => {
    expect(round({ ...defaultView, selection: { thread: '42' } }).selection.thread).toBe('42');
    expect(round({ ...defaultView, selection: { thread: 42 } }).selection.thread).toBe(42);
  });
  it('keeps a comparison with everything', () => expect(round({ ...defaultView, versus: {} }).versus).toEqual({}));
  it('survives nonsense', () => {
    expect(fromHash('#stage=x&zoom=-5&color=red&transform=burn:a&transform=hide&theme=pink&window=9-3&task=,&%E0%A4%A')).toEqual({
      ...defaultView,
      selection: { task: [] },
    });
  });
});
