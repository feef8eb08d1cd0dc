// SPDX-License-Identifier: Apache-2.0
import { describe, expect, it } from 'vitest';
import { smallModel, wallOf } from '../../../tests/small_report.ts';
import { namesOf, partsOf, stagesIn } from './wall_parts.ts';
import { wallOfPhases, wallOfStages, wallSpans } from './wall_time.ts';

/** A run of 8 s. */
function model() {
  const made = smallModel([]);
  made.report.wall = wallOf([
    [0, 'start-up'],
    [1000, 'driver program'],
    [2000, 'stage', 0],
    [5000, 'query without a job'],
    [5100, 'stage', 1],
    [7000, 'driver program'],
  ]);
  return made;
}

describe('the wall time', () => {
  it('has no gap, ends with the run, and tells the program from a shutdown', () => {
    const spans = wallSpans(model());
    expect(spans.map(({ phase }) => phase)).toEqual(['startUp', 'program', 'stage', 'planning', 'stage', 'shutdown']);
    spans.slice(1).forEach((span, at) => expect(span.begin).toBe(spans[at]!.end));
    expect(spans.at(-1)!.end).toBe(8000);
  });

  it('is the program’s where no stage ran, and for long after the last one', () => {
    const phases = (rows: [number, string, number?][]) => {
      const made = smallModel([]);
      made.report.wall = wallOf(rows);
      return wallSpans(made).map(({ phase }) => phase);
    };
    expect(phases([[7500, 'driver program']])).toEqual(['program']);
    expect(
      phases([
        [0, 'stage', 0],
        [6000, 'driver program'],
      ]),
    ).toEqual(['stage', 'program']);
  });

  it('is added up by stage and by phase, also in a range', () => {
    expect(wallOfStages(model())).toEqual([3e9, 1.9e9]);
    expect(wallOfStages(model(), 4000, 6000)).toEqual([1e9, 0.9e9]);
    expect(wallOfPhases(model(), 4000, 6000).get('planning')).toBe(0.1e9);
    const all = [...wallOfPhases(model()).values()].reduce((sum, ns) => sum + ns, 0);
    expect(all).toBe(8e9);
  });
});

describe('parts of the wall time', () => {
  const parts = (width: number, window = { from: 0, to: 8000 }, made = model()) =>
    partsOf(made, wallSpans(made), window, width).map((part) => ({ ...part, name: namesOf(made, part).short }));

  it('are its spans where these are wide enough to be seen', () => {
    expect(parts(1600).map(({ name }) => name)).toEqual(['Start', 'Program', 'Stage 0', 'Planning', 'Stage 1', 'Shutdown']);
  });

  it('are one for neighbors of one phase, whatever their lines', () => {
    const made = smallModel([]);
    made.report.wall = wallOf([0, 1, 2, 3].map((at) => [at * 1000, at < 2 ? 'start-up' : 'driver program']));
    expect(parts(800, undefined, made).map(({ name, spans }) => `${name} ${spans.length}`)).toEqual(['Start 2', 'Program 2']);
  });

  it('leave nothing out: what is too short is part of its neighbor', () => {
    const shown = parts(100);
    shown.slice(1).forEach(({ begin }, at) => expect(begin).toBe(shown[at]!.end));
    expect([shown[0]!.begin, shown.at(-1)!.end]).toEqual([0, 8000]);
    expect(shown.flatMap(({ spans }) => spans).length).toBe(6);
    expect(shown.every(({ name }) => name !== 'Planning')).toBe(true);
  });

  it('are fewer and wider in a smaller window', () => {
    expect(parts(100, { from: 4900, to: 5200 }).map(({ name }) => name)).toEqual(['Stage 0', 'Planning', 'Stage 1']);
  });

  it('are one for many short stages of one name', () => {
    const made = smallModel([]);
    made.report.stages = Array.from({ length: 100 }, (_, id) => ({ ...made.report.stages[0]!, stageId: id }));
    made.report.wall = wallOf(
      Array.from({ length: 100 }, (_, stage): [number, string, number][] => [
        [stage * 80, 'driver program', -1],
        [stage * 80 + 10, 'stage', stage],
      ]).flat(),
    );
    const shown = partsOf(made, wallSpans(made), { from: 0, to: 8000 }, 1000);
    expect(shown.map((part) => [stagesIn(part).length, namesOf(made, part).long])).toEqual([[100, 'stage 0 ×100']]);
  });
});
