// SPDX-License-Identifier: Apache-2.0
// A strip of jobs, the longest first, with their stages and what reads what; the stronger the color of a stage, the more of the wall time it took.
import { useMemo } from 'preact/hooks';
import { lasted } from '../../data/model.ts';
import { layOutStages } from '../../analysis/stage_graph.ts';
import { wallOfStages } from '../../analysis/time/wall_time.ts';
import { duration } from '../../state/format.ts';
import { useStore } from '../../state/store.ts';
import { moveAlong } from '../move_along.ts';

const box = { width: 132, height: 40, gapX: 30, gapY: 8 };
/** More are a list. */
const mostJobs = 30;

/** `current`: row of a stage to mark. */
export function StageGraph({ jobs, current = -1 }: { jobs: number[]; current?: number }) {
  const store = useStore();
  const { model } = store;
  const { report } = model;
  const walls = useMemo(() => wallOfStages(model), [model]);
  const lastAttempt = useMemo(() => new Map(report.stages.map(({ stageId }, row) => [stageId, row])), [report]);
  const graphs = useMemo(
    () =>
      report.jobs
        .filter(({ jobId }) => jobs.includes(jobId))
        .sort((a, b) => lasted(b) - lasted(a))
        .slice(0, mostJobs)
        .map((job) => ({
          job,
          boxes: layOutStages(
            // what a job of several skips, an earlier one did
            job.stageIds.filter((id) => lastAttempt.has(id) && (jobs.length === 1 || report.stages[lastAttempt.get(id)!]!.submissionTime)),
            (id) => report.stages[lastAttempt.get(id)!]!.parents ?? [],
          ),
        }))
        .filter(({ boxes }) => boxes.length > 0),
    [report, jobs.join()],
  );
  // a single stage is no graph
  if (graphs.reduce((sum, { boxes }) => sum + boxes.length, 0) < 2) return null;
  const longest = Math.max(1, ...walls);
  const left = (level: number) => level * (box.width + box.gapX);
  const top = (place: number) => place * (box.height + box.gapY);
  return (
    <div class="stage-graph" role="toolbar" aria-label="Jobs and stages" onKeyDown={moveAlong}>
      {graphs.map(({ job, boxes }, at) => {
        const width = left(Math.max(...boxes.map(({ level }) => level))) + box.width;
        const height = top(Math.max(...boxes.map(({ place }) => place))) + box.height;
        return (
          <div key={job.jobId}>
            <h3>
              Job {job.jobId} <span class="quiet">{lasted(job) > 0 && duration(lasted(job) * 1e6)}</span>
            </h3>
            <div style={{ width: `${width}px`, height: `${height}px` }}>
              <svg width={width} height={height} aria-hidden="true">
                {boxes.flatMap(({ level, place, parents }) =>
                  parents.map((parent) => {
                    const from = boxes[parent]!;
                    const [x1, y1, x2, y2] = [left(from.level) + box.width, top(from.place), left(level), top(place)];
                    const middle = box.height / 2;
                    return (
                      <path
                        key={`${parent} ${level} ${place}`}
                        d={`M${x1} ${y1 + middle}C${x1 + 20} ${y1 + middle} ${x2 - 20} ${y2 + middle} ${x2} ${y2 + middle}`}
                      />
                    );
                  }),
                )}
              </svg>
              {boxes.map(({ id, level, place }, i) => {
                const row = lastAttempt.get(id)!;
                const stage = report.stages[row]!;
                return (
                  <button
                    key={id}
                    class={stage.submissionTime ? '' : 'skipped'}
                    aria-pressed={row === current}
                    tabIndex={at + i === 0 ? 0 : -1}
                    title={stage.name}
                    style={{
                      left: `${left(level)}px`,
                      top: `${top(place)}px`,
                      background: `color-mix(in srgb, var(--heat) ${Math.round(100 * Math.sqrt(walls[row]! / longest))}%, var(--background))`,
                    }}
                    onClick={() => store.update({ tab: 'stages', tasksOf: `${id}.${stage.attemptId}` }, true)}>
                    <b>Stage {id}</b> {stage.submissionTime ? duration(lasted(stage) * 1e6) : 'skipped'}
                    <br />
                    {stage.name}
                  </button>
                );
              })}
            </div>
          </div>
        );
      })}
    </div>
  );
}
