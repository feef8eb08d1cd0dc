// SPDX-License-Identifier: Apache-2.0
// The tasks of a stage as bars, the slowest first: their time, and below it the data that they read. The finding's own stand out.
import { useMemo } from 'preact/hooks';
import { dataOf, medianOf, stageOfFinding, tasksOfFinding } from '../../analysis/findings/finding_tasks.ts';
import type { Finding } from '../../data/contract.ts';
import type { Model } from '../../data/model.ts';
import { amount, duration, share } from '../../state/format.ts';
import { useStore } from '../../state/store.ts';
import { plural } from '../text.ts';
import { pictureWidth as width } from './size.ts';

const height = 56;
const widestBar = 60;
const gap = 1;

interface Strip {
  label: string;
  text: string;
  /** in the order of the bars */
  values: number[];
  median: number;
}

interface Bars {
  strips: Strip[];
  marked: boolean[];
  tasks: number;
}

/** Tasks for which there is no pixel are left out; those of the finding only where they are very many themselves. */
function thinned(rows: number[], marked: Set<number>): number[] {
  const step = Math.max(1, Math.ceil(rows.length / (width / 2)));
  return rows.filter((row, at) => at % step === 0 || (marked.size <= width && marked.has(row)));
}

function barsOf(model: Model, finding: Finding): Bars | null {
  const { rows, marked } = tasksOfFinding(model, finding);
  if (rows.length === 0) return null;
  const { tasks } = model.report;
  const offender = rows.find((row) => marked.has(row)) ?? rows[0]!;
  const name = `task ${tasks.taskId[offender]}`;
  const drawn = thinned(rows, marked);
  const strip = (label: string, of: (row: number) => number, text: (value: number) => string, whole = false): Strip => {
    const own = of(offender);
    const median = medianOf(rows.map(of));
    const sum = rows.reduce((total, row) => total + of(row), 0);
    const part = whole && sum > 0 ? `, ${share(own / sum)} of all` : '';
    return { label, text: `${name}: ${text(own)}${part}; median ${text(median)}`, values: drawn.map(of), median };
  };
  const strips = [strip('Time', (row) => (tasks.end[row]! - tasks.begin[row]!) * 1e6, duration)];
  const data = dataOf(model, rows, offender);
  if (data)
    strips.push(
      strip(
        data.label,
        (row) => tasks[data.name]![row]!,
        (value) => amount(value, data.unit),
        true,
      ),
    );
  return { strips, marked: drawn.map((row) => marked.has(row)), tasks: rows.length };
}

export function TaskBars({ finding }: { finding: Finding }) {
  const { model } = useStore();
  const bars = useMemo(() => barsOf(model, finding), [model, finding]);
  if (!bars) return null;
  const { strips, marked, tasks } = bars;
  const step = Math.min(widestBar, width / marked.length);
  const caption = `${plural(tasks, 'task')} of stage ${stageOfFinding(finding).stage}, the slowest first`;
  return (
    <figure class="picture">
      {strips.map(({ label, text, values, median }) => {
        const most = values.reduce((a, b) => Math.max(a, b), 1);
        const y = height - (median / most) * (height - 2);
        return (
          <div key={label}>
            <p class="picture-label">
              {label} <span class="quiet">{text}</span>
            </p>
            <svg viewBox={`0 0 ${width} ${height}`} width={width} role="img" aria-label={`${label}: ${text}`}>
              {values.map((value, at) => {
                const tall = Math.max(1, (value / most) * (height - 2));
                return (
                  <rect
                    key={at}
                    class={marked[at] ? 'marked' : ''}
                    x={at * step}
                    width={Math.max(0.8, step - gap)}
                    y={height - tall}
                    height={tall}
                  />
                );
              })}
              <line class="picture-base" x2={width} y1={height - 0.5} y2={height - 0.5} />
              <line class="picture-median" x2={step * values.length} y1={y} y2={y} />
            </svg>
          </div>
        );
      })}
      <figcaption class="quiet">{caption}; dashed: the median</figcaption>
    </figure>
  );
}
