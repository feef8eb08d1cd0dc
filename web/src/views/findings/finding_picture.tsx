// SPDX-License-Identifier: Apache-2.0
// The one picture that shows the claim of a finding, by its rule.
import { heaviestStack } from '../../analysis/findings/heaviest_stack.ts';
import { sidesOf } from '../../analysis/findings/join_sides.ts';
import { stageOfFinding, tasksOfFinding } from '../../analysis/findings/finding_tasks.ts';
import { phasesOfStages } from '../../analysis/stage_phases.ts';
import { stageRowOf } from '../../analysis/selection.ts';
import { barColor } from '../../charts/timeline/palette.ts';
import type { Finding } from '../../data/contract.ts';
import { bytes, count, share } from '../../state/format.ts';
import { useStore } from '../../state/store.ts';
import { plural } from '../text.ts';
import { PhaseList } from '../time/phase_bar.tsx';
import { AmountBars } from './amount_bars.tsx';
import { FailurePicture } from './failure_picture.tsx';
import { TaskBars } from './task_bars.tsx';
import { TimePicture } from './time_picture.tsx';
import { collectionStory, coresStory, memoryStory } from './time_stories.ts';

type Kind = 'memory' | 'collections' | 'cores' | 'driver' | 'join' | 'spill' | 'tasks' | 'failure' | 'phases';

const kinds: Record<string, Kind> = {
  gc: 'collections',
  'large-result': 'memory',
  'worker-growth': 'memory',
  'python-memory': 'memory',
  'evicted-cache': 'memory',
  'unused-memory': 'memory',
  'low-memory': 'memory',
  oom: 'memory',
  'lost-executors': 'failure',
  'lost-driver': 'failure',
  'failed-work': 'failure',
  failure: 'failure',
  'driver-gap': 'driver',
  'query-planning': 'driver',
  'slow-sink': 'driver',
  'streaming-behind': 'driver',
  'idle-cores': 'cores',
  'idle-executors': 'cores',
  'waiting-for-executors': 'cores',
  'few-partitions': 'cores',
  'serial-queries': 'cores',
  'job-loop': 'cores',
  'exploding-join': 'join',
  'broadcastable-join': 'join',
  'large-broadcast': 'join',
  spill: 'spill',
  skew: 'tasks',
  straggler: 'tasks',
  'empty-partitions': 'tasks',
  'tiny-tasks': 'tasks',
  'large-partitions': 'tasks',
  speculation: 'tasks',
};

/** A finding about one stage shows what its tasks did; one about several, when they ran. */
const otherwise = ({ evidence, stages = [] }: Finding): Kind =>
  evidence?.task !== undefined ? 'tasks' : evidence?.stage === undefined && stages.length > 1 ? 'cores' : 'phases';

/** Fewer bars make no picture. */
const fewestTasks = 4;

export function FindingPicture({ finding }: { finding: Finding }) {
  const store = useStore();
  const { model } = store;
  const dark = store.dark.value;
  const kind = kinds[finding.rule ?? ''] ?? otherwise(finding);
  switch (kind) {
    case 'memory': {
      const story = memoryStory(model, finding, dark);
      return (
        <>
          {story && <TimePicture story={story} />}
          {(finding.isFailure || finding.failure) && <FailurePicture finding={finding} />}
        </>
      );
    }
    case 'collections': {
      const story = collectionStory(model, finding, dark);
      return story ? <TimePicture story={story} /> : <PhasePicture finding={finding} />;
    }
    case 'driver':
    case 'cores': {
      const story = coresStory(model, finding, dark, kind === 'driver');
      return (
        <>
          {story && <TimePicture story={story} />}
          {kind === 'driver' && <DriverStack finding={finding} />}
        </>
      );
    }
    case 'join':
      return <JoinPicture finding={finding} />;
    case 'spill':
      return <SpillPicture finding={finding} />;
    case 'failure':
      return <FailurePicture finding={finding} />;
    case 'tasks':
      return tasksOfFinding(model, finding).rows.length < fewestTasks ? <PhasePicture finding={finding} /> : <TaskBars finding={finding} />;
    default:
      return <PhasePicture finding={finding} />;
  }
}

/** The phases of the stage's tasks. */
function PhasePicture({ finding }: { finding: Finding }) {
  const { model } = useStore();
  const row = stageRowOf(model, stageOfFinding(finding));
  return row < 0 ? null : (
    <figure class="picture">
      <PhaseList phases={phasesOfStages(model)[row]!} title={`Phases of stage ${model.report.stages[row]!.stageId}`} />
    </figure>
  );
}

function JoinPicture({ finding }: { finding: Finding }) {
  const store = useStore();
  const sides = sidesOf(store.model, finding);
  if (!sides) return <PhasePicture finding={finding} />;
  const { name, unit, parts } = sides;
  const color = (isResult: boolean) => (isResult ? 'var(--bad)' : barColor(0, store.dark.value));
  const [first, second] = parts;
  const more = first && second ? Math.max(first.value, second.value) / Math.max(1, Math.min(first.value, second.value)) : 0;
  const returned = parts.find(({ isResult }) => isResult);
  const read = parts.reduce((sum, { value, isResult }) => sum + (isResult ? 0 : value), 0);
  return (
    <AmountBars
      rows={parts.map(({ label, value, isResult }) => ({
        label,
        parts: [{ value, color: color(isResult) }],
        text: unit === 'bytes' ? bytes(value) : plural(value, 'row'),
      }))}
      caption={
        returned
          ? `${name} returns ${count(returned.value / Math.max(1, read))} times the rows that it reads`
          : `${name}: one side is ${count(Math.round(more))} times the other`
      }
    />
  );
}

const mostSpilling = 8;

/** The memory that each task needs: what it held, and what it spilled because it got no more. */
function SpillPicture({ finding }: { finding: Finding }) {
  const store = useStore();
  const { tasks } = store.model.report;
  const { rows } = tasksOfFinding(store.model, finding);
  const held = (row: number) => tasks.peakExecutionMemoryBytes?.[row] ?? 0;
  const spilled = (row: number) => tasks.memorySpilledBytes?.[row] || (tasks.diskSpilledBytes?.[row] ?? 0);
  const spilling = rows.filter((row) => spilled(row) > 0).sort((a, b) => spilled(b) + held(b) - spilled(a) - held(a));
  if (spilling.length === 0) return <PhasePicture finding={finding} />;
  const dark = store.dark.value;
  const fit = Math.max(...spilling.map(held));
  const shown = spilling.slice(0, mostSpilling);
  return (
    <AmountBars
      rows={shown.map((row) => ({
        label: `Task ${tasks.taskId[row]}`,
        parts: [
          { value: held(row), color: barColor(0, dark) },
          { value: spilled(row), color: 'var(--bad)' },
        ],
        text: `${bytes(held(row))} + ${bytes(spilled(row))}`,
      }))}
      limit={fit > 0 ? { value: fit, label: `most that a task got: ${bytes(fit)}` } : undefined}
      keys={[
        { label: 'held in memory', color: barColor(0, dark) },
        { label: 'spilled', color: 'var(--bad)' },
      ]}
      caption={shown.length < spilling.length ? `the largest of ${plural(spilling.length, 'task')} that spill` : ''}
    />
  );
}

const mostFrames = 7;

/** The stack that most of the driver's samples have during a gap: the user's frames, and the innermost one. */
function DriverStack({ finding }: { finding: Finding }) {
  const { model } = useStore();
  const stack = heaviestStack(model, finding.evidence ?? { executor: 'driver' });
  if (stack.length === 0) return null;
  const own = stack.filter(({ isUser }, at) => isUser || at === stack.length - 1);
  const shown = (own.length > 1 ? own : stack).slice(-mostFrames);
  return (
    <figure class="picture">
      <p class="picture-label">The driver’s stack meanwhile</p>
      <ol class="driver-stack">
        {shown.map(({ label, share: part, isUser }, at) => (
          <li key={at} class={isUser ? 'user' : ''} style={{ paddingLeft: `${at * 10}px` }}>
            <code>{model.functions.name[label]}</code> <span class="quiet">{share(part)}</span>
          </li>
        ))}
      </ol>
    </figure>
  );
}
