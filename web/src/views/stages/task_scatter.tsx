// SPDX-License-Identifier: Apache-2.0
// The tasks of a stage as points: what they had to do against how long they took, colored by their longest phase.
import { useEffect, useMemo, useRef, useState } from 'preact/hooks';
import { durationOf, mainPhases, phaseColumns, phases } from '../../analysis/phases.ts';
import { mainPhasesOfTasks, phaseLabels } from '../../analysis/stage_phases.ts';
import { taskMask } from '../../analysis/selection.ts';
import { tellingMetric, varies } from '../../analysis/telling_metric.ts';
import { Scatter } from '../../charts/scatter/scatter.ts';
import { phaseColor } from '../../charts/phase_colors.ts';
import type { Stage } from '../../data/contract.ts';
import { amount, clock, count, duration } from '../../state/format.ts';
import { usePart, useStore } from '../../state/store.ts';
import { timelineThemes } from '../../state/time_axis.ts';
import { FloatingBox } from '../floating_box.tsx';

/** medians; a task that takes so many is named */
const standsOut = 1.5;
const axes = ['shuffleReadBytes', 'inputBytes', 'shuffleReadRecords', 'inputRecords', 'shuffleWriteBytes', 'outputBytes'];

export function TaskScatter({ stage, rows, sampled }: { stage: Stage; rows: number[]; sampled: boolean }) {
  const store = useStore();
  const { tasks, metrics } = store.model.report;
  const [axisPart, setAxis] = usePart('scatterX');
  const possible = useMemo(() => axes.filter((name) => tasks[name] && varies(tasks[name], rows)), [rows, tasks]);
  const telling = useMemo(() => tellingMetric(tasks, possible, rows) ?? 'begin', [rows, tasks]);
  const axis = [...possible, 'begin'].find((name) => name === axisPart) ?? telling;
  const metric = metrics.find(({ name }) => name === axis);
  const x = useMemo(() => new Float64Array(rows.map((row) => tasks[axis]?.[row] ?? 0)), [rows, axis, tasks]);
  const y = useMemo(() => new Float64Array(rows.map((row) => durationOf(tasks, row))), [rows, tasks]);
  const phase = useMemo(() => {
    const byMetrics = mainPhases(phaseColumns(tasks), rows);
    const known = sampled ? mainPhasesOfTasks(store.model, tasks.stage[rows[0]!]!) : null;
    return rows.map((row, at) => known?.get(row) ?? phases[byMetrics[at]!]?.id ?? '');
  }, [rows, tasks, sampled]);
  const { task } = store.selection.value;
  const chosen = useMemo(() => {
    if (task === undefined) return null;
    const mask = taskMask(store.model, { stage: stage.stageId, stageAttempt: stage.attemptId, task })!;
    return Uint8Array.from(rows, (row) => mask[row]!);
  }, [rows, task, stage]);
  const host = useRef<HTMLDivElement>(null);
  const chart = useRef<Scatter | null>(null);
  const [hover, setHover] = useState<{ point: number; x: number; y: number } | null>(null);
  const [focus, setFocus] = useState(-1);
  const current = useRef(rows);
  current.current = rows;
  const dark = store.dark.value;
  const select = (points: number[]) => {
    const ids = points.map((point) => tasks.taskId[current.current[point]!]!);
    store.select({
      stage: stage.stageId,
      stageAttempt: stage.attemptId,
      task: ids.length === 0 ? undefined : ids.length === 1 ? ids[0] : ids,
    });
  };
  useEffect(() => {
    chart.current = new Scatter(host.current!, {
      hover: (point, left, top) => setHover(point < 0 ? null : { point, x: left, y: top }),
      pick: (point) => select([point]),
      brush: select,
    });
    return () => chart.current?.destroy();
  }, [store, stage]);
  const offender = useMemo(() => {
    const median = (stage.quantiles.durationNs?.[2] ?? 0) / 1e6;
    const point = y.reduce((most, value, at) => (value > y[most]! ? at : most), 0);
    const times = median > 0 ? y[point]! / median : 0;
    return { median, point: times >= standsOut ? point : -1, times };
  }, [y, stage]);
  useEffect(() => {
    const theme = timelineThemes[dark ? 'dark' : 'light'];
    chart.current!.show({
      x,
      y,
      chosen,
      focus,
      median: offender.median,
      offender:
        offender.point < 0
          ? null
          : {
              point: offender.point,
              label: `task ${tasks.taskId[rows[offender.point]!]}: ${duration(y[offender.point]! * 1e6)}, ${offender.times.toFixed(1)}× the median`,
            },
      theme,
      color: (point) => (phase[point] ? phaseColor(phase[point]!, dark) : theme.quiet),
      xUnit: axis === 'begin' ? 'moment' : metric?.unit === 'bytes' ? 'bytes' : 'count',
      xLabel: labelOf(axis, metric?.label),
      yLabel: 'Duration',
      formatY: (ms) => duration(ms * 1e6),
      formatX: (value) => (axis === 'begin' ? clock(value) : amount(value, metric?.unit ?? 'count')),
    });
  }, [x, y, phase, chosen, focus, dark]);
  const onKey = (event: KeyboardEvent) => {
    const step = event.key === 'ArrowRight' ? 1 : event.key === 'ArrowLeft' ? -1 : 0;
    if (event.key === 'Enter' && focus >= 0) select([focus]);
    else if (event.key === 'Escape' && focus >= 0) {
      setFocus(-1);
      setHover(null);
    } else if (step !== 0 && rows.length > 0) {
      const order = [...x.keys()].sort((a, b) => x[a]! - x[b]! || y[a]! - y[b]!);
      const next = order[Math.max(0, Math.min(order.length - 1, focus < 0 ? 0 : order.indexOf(focus) + step))]!;
      setFocus(next);
      setHover({ point: next, ...chart.current!.placeOf(next) });
    } else return;
    event.preventDefault();
    event.stopPropagation();
  };
  const used = useMemo(() => {
    const counts = new Map<string, number>();
    for (const id of phase) counts.set(id, (counts.get(id) ?? 0) + 1);
    return Object.keys(phaseLabels).flatMap((id) => (counts.has(id) ? [{ id, own: counts.get(id)! }] : []));
  }, [phase]);
  const shown = hover && rows[hover.point] !== undefined ? rows[hover.point]! : -1;
  return (
    <section class="scatter" aria-label="Tasks as points">
      <div class="chart-bar">
        <b>Tasks</b>
        <label>
          Duration against{' '}
          <select value={axis} onChange={(event) => setAxis(event.currentTarget.value)}>
            {[...possible, 'begin'].map((name) => (
              <option key={name} value={name}>
                {labelOf(name, metrics.find((one) => one.name === name)?.label)}
              </option>
            ))}
          </select>
        </label>
        <span class="quiet">drag: select tasks</span>
        {task !== undefined && (
          <button class="link" onClick={() => select([])}>
            Select all
          </button>
        )}
      </div>
      <div
        class="scatter-host"
        ref={host}
        tabIndex={0}
        role="application"
        aria-roledescription="scatter plot"
        onKeyDown={onKey}
        onBlur={() => {
          setFocus(-1);
          setHover(null);
        }}
        aria-label={`${count(rows.length)} tasks by ${labelOf(axis, metric?.label)} and duration. Arrow keys move through tasks, Enter selects one. The table of tasks has the same data.`}
      />
      <p class="chart-legend quiet">
        Longest phase:{' '}
        {used.map(({ id, own }) => (
          <span key={id}>
            <i class="swatch square" style={{ background: phaseColor(id, dark) }} />
            {phaseLabels[id]} <span class="quiet">{count(own)}</span>
          </span>
        ))}
      </p>
      {hover && shown >= 0 && (
        <FloatingBox x={hover.x} y={hover.y}>
          <b>Task {tasks.taskId[shown]}</b> on {store.model.executorName(tasks.executor[shown]!)}
          <dl>
            <div>
              <dt>Duration</dt>
              <dd>{duration(y[hover.point]! * 1e6)}</dd>
            </div>
            <div>
              <dt>{labelOf(axis, metric?.label)}</dt>
              <dd>{axis === 'begin' ? clock(x[hover.point]!) : amount(x[hover.point], metric?.unit ?? 'count')}</dd>
            </div>
            {phase[hover.point] && (
              <div>
                <dt>Longest phase</dt>
                <dd>{phaseLabels[phase[hover.point]!]}</dd>
              </div>
            )}
          </dl>
        </FloatingBox>
      )}
    </section>
  );
}

const labelOf = (name: string, label: string | undefined) => (name === 'begin' ? 'Start time' : (label ?? name));
