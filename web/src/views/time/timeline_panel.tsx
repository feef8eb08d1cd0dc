// SPDX-License-Identifier: Apache-2.0
import { useEffect, useMemo, useRef, useState } from 'preact/hooks';
import { concurrencyCurve } from '../../analysis/time/concurrency.ts';
import { curvesOf, type CurveData } from '../../analysis/time/curves.ts';
import { compileSelection, executorMask } from '../../analysis/selection.ts';
import { LaneChart, type LanePlace } from '../../charts/timeline/lanes.ts';
import { lineColor } from '../../charts/timeline/palette.ts';
import { zoomed, type TimeWindow } from '../../charts/timeline/pointer.ts';
import { taskStatuses, type Selection } from '../../data/contract.ts';
import { failedTasks, isProfileAlone, stageLabel } from '../../data/model.ts';
import { clocks, duration } from '../../state/format.ts';
import { activityTracks, densityOf, lanesOf, packLanes, type DataLane } from '../../state/lanes.ts';
import { useStore, type Store } from '../../state/store.ts';
import { timeEvents, timelineThemes } from '../../state/time_axis.ts';
import { CurveView } from '../curve_view.tsx';
import { FloatingBox } from '../floating_box.tsx';
import { LogPanel } from '../log_panel.tsx';
import { plural } from '../text.ts';
import { TimeMarks } from './time_marks.tsx';
import { isCompact, tallest, TimelineEdge } from './timeline_edge.tsx';
import { WallLegend, WallParts } from './wall_bar.tsx';

const tallestLanes = 250;
const shownCurves = 5;

/** The one time axis of the page: what the run waited for, what happened, and below, opened by its edge, who ran what and the curves. */
export function TimelinePanel() {
  const store = useStore();
  const { tab, timeline, timelineHeight, window, allCurves, logs } = store.view.value;
  const charts = useRef<HTMLDivElement>(null);
  const compact = isCompact(timelineHeight);
  const { executor } = store.selection.value;
  const curves = useMemo(() => {
    if (compact) return [];
    const mask = executorMask(store.model, { executor });
    const running = concurrencyCurve(store.model, mask);
    return [...(running ? [running] : []), ...curvesOf(store.model, mask)];
  }, [store.model, executor, compact]);
  const shown = allCurves ? curves : curves.slice(0, shownCurves);
  const whole = store.model.duration;
  const axis = window ?? { from: 0, to: whole };
  const { tasks, jobs, series } = store.model.report;
  /** there is more than the compact timeline shows */
  const opens = tasks.taskId.length + jobs.length + series.length > 0;
  /** The Overview leads on to what a part is; elsewhere it is selected in place. */
  const pick = (selection: Selection) => {
    if (tab === 'overview') store.goTo(selection);
    else if (selection.stage === undefined) store.select({ from: selection.from, to: selection.to });
    else store.select({ ...selection, task: undefined });
  };
  const hasWall = store.model.report.wall.begin.length > 0;
  const showAll = window && (
    <button class="link" title={`${clocks(window.from, window.to)} in view`} onClick={() => store.update({ window: null })}>
      show all
    </button>
  );
  return (
    <section class={compact ? 'timeline compact' : 'timeline'} aria-label="Timeline">
      <div class="timeline-bar">
        <button
          class="link fold"
          aria-expanded={timeline}
          title="Show or hide the time axis (l)"
          onClick={() => store.update({ timeline: !timeline })}>
          {timeline ? '▾' : '▸'} Time
        </button>
        {timeline && opens && (
          <button class="link" aria-expanded={!compact} onClick={() => store.update({ timelineHeight: compact ? tallest() : 0 })}>
            {compact ? 'executors and metrics' : 'compact'}
          </button>
        )}
        {timeline && !compact && curves.length > shownCurves && (
          <button class="link" onClick={() => store.update({ allCurves: !allCurves })}>
            {allCurves ? 'fewer metrics' : `${curves.length - shownCurves} more metrics`}
          </button>
        )}
        {!hasWall && showAll}
        {timeline && hasWall && <WallLegend models={[store.model]} />}
        {timeline && compact && <span class="quiet timeline-hint">drag: select time · wheel: zoom · double-click: reset</span>}
        {timeline && shown.length > 0 && <ExecutorLegend curves={curves} />}
        {timeline && store.model.report.logs && (
          <button class="toggle" aria-pressed={logs} onClick={() => store.update({ logs: !logs })}>
            Show log
          </button>
        )}
      </div>
      <div class={timeline && logs && store.model.report.logs ? 'timeline-columns' : ''}>
        <div class="timeline-axis">
          {timeline && hasWall && (
            <div class="time-row">
              <span class="time-label">
                {showAll ?? 'Wall time'}
                <span class="quiet">{duration(whole * 1e6)}</span>
              </span>
              <WallParts axis={axis} pick={pick} selects label="Wall time" />
            </div>
          )}
          {timeline && <TimeMarks axis={axis} />}
          <div class="timeline-charts" ref={charts} style={compact ? undefined : { maxHeight: `${timelineHeight}px` }}>
            {timeline && <Lanes axis={axis} compact={compact} />}
            {timeline && shown.map((curve) => <CurveView key={curve.name} curve={curve} axis={axis} colorOf={colorIndex} />)}
            {timeline && !compact && curves.length === 0 && !isProfileAlone(store.model.report) && (
              <p class="quiet timeline-note">No metrics of CPU, heap, GC or memory in this recording.</p>
            )}
          </div>
        </div>
        {timeline && logs && store.model.report.logs && <LogPanel />}
      </div>
      {timeline && <TimelineEdge charts={charts} />}
    </section>
  );
}

/** Which line color is which executor; dashed lines are Python. */
function ExecutorLegend({ curves }: { curves: CurveData[] }) {
  const store = useStore();
  const executors = [...new Set(curves.flatMap((curve) => curve.lines.map((line) => line.executor)))]
    .filter((row) => row >= 0)
    .sort((a, b) => a - b);
  const python = curves.some((curve) => curve.lines.some((line) => line.python));
  return (
    <span class="executor-legend">
      {executors.map((row) => (
        <span key={row}>
          <i class="swatch" style={{ background: lineColor(row, store.dark.value) }} />
          {store.model.executorName(row)}
        </span>
      ))}
      {python && <span>dashed: Python</span>}
    </span>
  );
}

/** One executor has one color in all curves. */
function colorIndex(curve: CurveData, line: number): number {
  return Math.max(0, curve.lines[line]!.executor);
}

function Lanes({ axis, compact }: { axis: TimeWindow; compact: boolean }) {
  const store = useStore();
  const host = useRef<HTMLDivElement>(null);
  const chart = useRef<LaneChart | null>(null);
  const dark = store.dark.value;
  const selection = store.selection.value;
  const packing = useMemo(() => packLanes(store.model, compact), [store.model, compact]);
  const lanes = useMemo(() => lanesOf(store.model, packing, selection, dark, compact), [store.model, packing, selection, dark, compact]);
  const { executor, event } = selection;
  const density = useMemo(() => (compact ? densityOf(store.model, { executor, event }) : null), [store.model, executor, event, compact]);
  const isFlame = store.view.value.tab === 'flame' && store.model.hasSteps;
  // a time range is drawn over them
  const filter = JSON.stringify({ ...selection, from: undefined, to: undefined, search: undefined });
  const tracks = useMemo(
    () =>
      isFlame && compact
        ? activityTracks(
            store.model,
            compileSelection(store.model, JSON.parse(filter) as Selection, true),
            store.event.peek()?.unit ?? '',
            dark,
          )
        : [],
    [store.model, filter, isFlame, compact, dark],
  );
  // without executors, the only track is the density in colors
  const isDensity = tracks.length > 0 && store.model.report.executors.length === 0;
  const densities = useMemo(() => [...(density && !isDensity ? [density] : []), ...tracks], [density, tracks]);
  const current = useRef(lanes);
  current.current = lanes;
  const [hover, setHover] = useState<{ lane: number; bar: number; x: number; y: number } | null>(null);
  const [focus, setFocus] = useState<LanePlace | null>(null);
  useEffect(() => setFocus(null), [compact, store.model]);
  useEffect(() => {
    chart.current = new LaneChart(host.current!, {
      ...timeEvents(store),
      hover: (lane, bar, x, y) => setHover(lane < 0 ? null : { lane, bar, x, y }),
      pick: (lane, bar) => pickBar(store, current.current[lane]!, bar),
    });
    return () => chart.current?.destroy();
  }, [store]);
  const { from, to } = selection;
  const { moment } = store.view.value;
  const whole = store.model.duration;
  useEffect(() => {
    const range = from === undefined && to === undefined ? null : { from: from ?? 0, to: to ?? whole };
    chart.current?.show({
      lanes,
      densities,
      window: axis,
      whole,
      range,
      moment,
      date: store.startDate(),
      focus,
      theme: timelineThemes[dark ? 'dark' : 'light'],
    });
  }, [lanes, densities, axis.from, axis.to, from, to, moment, focus, dark]);
  const height = Math.min(tallestLanes, LaneChart.heightOf({ lanes, densities }));
  const { report } = store.model;
  const moveTo = (place: LanePlace | null) => {
    setFocus(place);
    const box = place && (chart.current!.reveal(place), chart.current!.boxOf(place));
    const corner = host.current!.getBoundingClientRect();
    setHover(box ? { ...place, x: corner.left + box.x, y: corner.top + box.y + box.height } : null);
  };
  const onKey = (event: KeyboardEvent) => {
    if (event.key === 'Escape' && focus) moveTo(null);
    else if (event.key === 'Enter' && focus) pickBar(store, lanes[focus.lane]!, focus.bar);
    else if (event.key === '+' || event.key === '-' || event.key === '0') {
      const at = focus ? lanes[focus.lane]!.begin[focus.bar]! : (axis.from + axis.to) / 2;
      store.update({ window: event.key === '0' ? null : zoomed(axis, at, event.key === '+' ? 0.5 : 2, whole) });
    } else {
      const next = neighborBar(lanes, focus, event.key);
      if (!next) return;
      moveTo(next);
    }
    event.preventDefault();
    event.stopPropagation();
  };
  return (
    <>
      <div
        class="lanes-host"
        ref={host}
        style={{ height: `${height}px` }}
        {...(compact
          ? { role: 'img' }
          : { role: 'application', tabIndex: 0, 'aria-roledescription': 'timeline', onKeyDown: onKey, onBlur: () => moveTo(null) })}
        title={focus || compact ? undefined : 'Arrow keys move through bars, Enter selects one, + and - zoom, 0 shows all'}
        aria-label={`${plural(report.jobs.length, 'job')}, ${plural(report.stages.length, 'stage')} and ${plural(report.tasks.taskId.length, 'task')} over ${duration(whole * 1e6)}. ${compact ? '' : 'Arrow keys move through bars, Enter selects one. '}The tables under Stages and Executors have the same data.`}
      />
      <span class="visually-hidden" role="status">
        {focus && lanes[focus.lane] && barLabel(store, lanes[focus.lane]!, focus.bar)}
      </span>
      {hover && lanes[hover.lane] && (
        <FloatingBox x={hover.x} y={hover.y}>
          {barText(store, lanes[hover.lane]!, hover.bar)}
        </FloatingBox>
      )}
    </>
  );
}

/** The bar that an arrow key leads to: the next one in time in the lane, or the one at that time in the next lane. */
function neighborBar(lanes: DataLane[], from: LanePlace | null, key: string): LanePlace | null {
  const arrows = ['ArrowLeft', 'ArrowRight', 'ArrowUp', 'ArrowDown', 'Home', 'End'];
  const filled = lanes.flatMap((lane, at) => (lane.begin.length > 0 ? [at] : []));
  if (!arrows.includes(key) || filled.length === 0) return null;
  if (!from || !lanes[from.lane]) return { lane: filled[0]!, bar: inOrder(lanes[filled[0]!]!)[0]! };
  const lane = lanes[from.lane]!;
  if (key === 'ArrowUp' || key === 'ArrowDown') {
    const next = filled[filled.indexOf(from.lane) + (key === 'ArrowUp' ? -1 : 1)];
    if (next === undefined) return from;
    const time = lane.begin[from.bar]!;
    const order = inOrder(lanes[next]!);
    return { lane: next, bar: order.find((bar) => lanes[next]!.begin[bar]! >= time) ?? order.at(-1)! };
  }
  const order = inOrder(lane);
  const at = order.indexOf(from.bar);
  const to = key === 'Home' ? 0 : key === 'End' ? order.length - 1 : at + (key === 'ArrowLeft' ? -1 : 1);
  return { lane: from.lane, bar: order[Math.max(0, Math.min(order.length - 1, to))]! };
}

function inOrder({ begin }: DataLane): number[] {
  return Array.from(begin, (_, bar) => bar).sort((a, b) => begin[a]! - begin[b]! || a - b);
}

function barLabel(store: Store, lane: DataLane, bar: number): string {
  const { jobs, stages, tasks } = store.model.report;
  const row = lane.source[bar]!;
  const name =
    lane.kind === 'job'
      ? `Job ${jobs[row]!.jobId} ${jobs[row]!.description || jobs[row]!.name}`
      : lane.kind === 'stage'
        ? `Stage ${stages[row]!.stageId} ${stages[row]!.name}`
        : `Task ${tasks.taskId[row]}`;
  return `${name}, ${clocks(lane.begin[bar]!, lane.end[bar]!)}`;
}

function pickBar(store: Store, lane: DataLane, bar: number): void {
  const { report } = store.model;
  const row = lane.source[bar]!;
  if (lane.kind === 'job') store.select({ job: report.jobs[row]!.jobId, stage: undefined, task: undefined });
  else if (lane.kind === 'stage')
    store.select({ stage: report.stages[row]!.stageId, stageAttempt: report.stages[row]!.attemptId, task: undefined });
  else {
    const stage = report.stages[report.tasks.stage[row]!];
    store.select({ stage: stage?.stageId, stageAttempt: stage?.attemptId, task: report.tasks.taskId[row]! });
  }
}

function barText(store: Store, lane: DataLane, bar: number) {
  const { report } = store.model;
  const row = lane.source[bar]!;
  const span = [
    `${clocks(lane.begin[bar]!, lane.end[bar]!)}, ${duration((lane.end[bar]! - lane.begin[bar]!) * 1e6)}`,
    store.dateAt(lane.begin[bar]!),
  ]
    .filter(Boolean)
    .join(' · ');
  if (lane.kind === 'job') {
    const job = report.jobs[row]!;
    return (
      <>
        <b>Job {job.jobId}</b> {job.description || job.name}
        <br />
        {span}
        <br />
        {job.status.toLowerCase()}, {plural(job.stageIds.length, 'stage')}
      </>
    );
  }
  if (lane.kind === 'stage') {
    const stage = report.stages[row]!;
    return (
      <>
        <b>Stage {stageLabel(stage)}</b> {stage.name}
        <br />
        {span}
        <br />
        {stage.status.toLowerCase()}, {plural(stage.numTasks, 'task')}
        {failedTasks(stage) > 0 && `, ${failedTasks(stage)} failed`}
      </>
    );
  }
  const { tasks } = report;
  const stage = store.model.stageOfTask(row);
  return (
    <>
      <b>Task {tasks.taskId[row]}</b> of stage {stage?.stageId} {stage?.name}
      <br />
      {span}
      <br />
      index {tasks.index[row]}, attempt {tasks.attempt[row]}, {taskStatuses[tasks.status[row]!]}
      {tasks.speculative[row] ? ', speculative' : ''}
    </>
  );
}
