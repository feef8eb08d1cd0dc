// SPDX-License-Identifier: Apache-2.0
import { describe, expect, it } from 'vitest';
import { demoStreaming } from '../../tests/make_storage.ts';
import { batchesOf, slowestBatch, streamingPicture } from './streaming.ts';

const streaming = demoStreaming(0);

describe('batches of a streaming query', () => {
  it('are those of one query that ran in a range of time', () => {
    expect(batchesOf(streaming, 0)).toHaveLength(18);
    expect(batchesOf(streaming, 1)).toEqual([]);
    expect(batchesOf(streaming, 0, 3000, 4301)).toEqual([1, 2]);
  });
  it('have phases that add up beside the whole, which is no part of the stack', () => {
    const duration = streamingPicture(streaming, batchesOf(streaming, 0)).curves.find(({ label }) => label === 'Batch duration')!;
    expect(duration.lines.map(({ label, apart }) => [label, !!apart])).toEqual([
      ['whole batch', true],
      ['addBatch', false],
      ['queryPlanning', false],
      ['walCommit', false],
    ]);
  });
  it('have no curve of what never happened', () => {
    const idle = {
      ...streaming,
      batches: { ...streaming.batches, stateRows: new Float64Array(18), offsetsBehind: new Float64Array(18).fill(-1) },
    };
    const labels = streamingPicture(idle, batchesOf(idle, 0)).curves.map(({ label }) => label);
    expect(labels).not.toContain('State rows');
    expect(labels).not.toContain('Offsets behind the latest');
    expect(labels).toContain('Rows per second');
  });

  it('are bars from their begin to their end, and what never changes is none', () => {
    const batches = {
      ...streaming.batches,
      query: Int32Array.of(0, 0, 0),
      time: Float64Array.of(0, 1000, 3000),
      durationNs: Float64Array.of(1e9, 5e8, 2e9),
      inputRows: Float64Array.of(5, 7, 9),
      stateRows: Float64Array.of(4, 4, 4),
      stateBytes: Float64Array.of(1, 2, 2),
    };
    const { curves, same } = streamingPicture({ ...streaming, batches, phases: [] }, [0, 1, 2]);
    const points = (label: string) => curves.find((curve) => curve.label === label)!.lines[0]!;
    expect(points('Input rows')).toMatchObject({ steps: true, time: [0, 1000, 1500, 3000, 5000], value: [5, 7, 0, 9, 0] });
    expect(points('State memory')).toMatchObject({ time: [0, 1000, 3000, 5000], value: [1, 2, 2, 2] });
    expect(same).toEqual([{ label: 'State rows', unit: 'count', value: 4 }]);
    expect(slowestBatch({ ...streaming, batches }, [0, 1, 2])).toEqual({ from: 3000, to: 5000 });
    expect(slowestBatch({ ...streaming, batches }, [0])).toBeNull();
  });
});
