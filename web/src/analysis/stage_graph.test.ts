// SPDX-License-Identifier: Apache-2.0
import { expect, it } from 'vitest';
import { layOutStages } from './stage_graph.ts';

const parents: Record<number, number[]> = { 2: [0, 1], 3: [2], 4: [1], 9: [77] };
const layOut = (...ids: number[]) => layOutStages(ids, (id) => parents[id] ?? []);

it('puts a stage right of all that it reads', () => {
  expect(layOut(3, 2, 1, 0).map(({ id, level }) => [id, level])).toEqual([
    [0, 0],
    [1, 0],
    [2, 1],
    [3, 2],
  ]);
});

it('gives no two stages one place', () => {
  const places = layOut(0, 1, 2, 3, 4).map(({ level, place }) => `${level} ${place}`);
  expect(new Set(places).size).toBe(places.length);
});

it('leaves out parents of other jobs', () => {
  expect(layOut(9)).toEqual([{ id: 9, level: 0, place: 0, parents: [] }]);
});
