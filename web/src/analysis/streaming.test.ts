// SPDX-License-Identifier: Apache-2.0
import { describe, expect, it } from 'vitest';
import { demoStreaming } from '../../tests/make_storage.ts';
import { batchesOf, streamingCurves } from './streaming.ts';

const streaming = demoStreaming(0);

describe('batches of a streaming query', () => {
  it('are those of one query that ran in a range of time', () => {
    expect(batchesOf(streaming, 0)).toHaveLength(18);
    expect(batchesOf(streaming, 1)).toEqual([]);
    expect(batchesOf(streaming, 0, 3000, 4301)).toEqual([1, 2]);
  });
  it('have phases that add up beside the whole, which is no part of the stack', () => {
    const duration = streamingCurves(streaming, batchesOf(streaming, 0)).find(({ label }) => label === 'Batch duration')!;
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
    const labels = streamingCurves(idle, batchesOf(idle, 0)).map(({ label }) => label);
    expect(labels).not.toContain('State rows');
    expect(labels).not.toContain('Offsets behind the latest');
    expect(labels).toContain('Rows per second');
  });
});
