// SPDX-License-Identifier: Apache-2.0
// CPU, heap and other maxima of a group over time. A drag selects the time range of the page.
import { useEffect, useMemo, useRef, useState } from 'preact/hooks';
import { Curve, curveHeight } from '../charts/curves/curve.ts';
import { gutter } from '../charts/timeline/lanes.ts';
import { lineColor } from '../charts/timeline/palette.ts';
import { ticks } from '../charts/timeline/scale.ts';
import type { TimeWindow } from '../charts/timeline/pointer.ts';
import { amount } from '../state/format.ts';
import { timelineThemes } from '../state/time_axis.ts';
import { FloatingBox } from '../views/floating_box.tsx';
import { api, getJson, part } from './api.ts';
import { Problem } from './chrome.tsx';
import { linkTo } from './links.ts';
import type { ApplicationPage, GroupSeries, ListedApplication } from './contract.ts';
import { usePolled } from './poll.ts';
import { setQuery } from './query.ts';
import { releasesOf, type Release } from './releases.ts';
import { curvesOfGroup, type GroupCurve } from './series_points.ts';
import { dark } from './theme.ts';
import { exactMoment, moment } from './times.ts';
import { useWidth } from '../views/use_width.ts';

const hour = 3600e3;
const shownCurves = 2;
const mostRuns = 500;
/** pixels that the label of a tick needs */
const labelRoom = 44;
/** pixels of the smallest thing to click */
const markRoom = 24;

export function GroupSeriesPanel({ group, from, to }: { group: string; from?: number; to?: number }) {
  const url = api(`/groups/${part(group)}/series`);
  const { value, error } = usePolled(url, (signal) => getJson<{ series: GroupSeries[] }>(url, signal));
  const runsUrl = api('/applications', { group, sort: '-startTime', limit: mostRuns });
  const latest = usePolled(runsUrl, (signal) => getJson<ApplicationPage>(runsUrl, signal));
  const runs = useMemo(() => [...(latest.value?.applications ?? [])].reverse(), [latest.value]);
  const [all, setAll] = useState(false);
  const [zoom, setZoom] = useState<TimeWindow | null>(null);
  const bounds = useMemo(() => {
    const times = (value?.series ?? []).flatMap(({ points }) => points.map(([time]) => time));
    if (times.length === 0) return null;
    const first = new Date(times.reduce((a, b) => Math.min(a, b)));
    // days begin at a tick
    const origin = new Date(first.getFullYear(), first.getMonth(), first.getDate()).getTime();
    return { origin, first: first.getTime() - origin, last: times.reduce((a, b) => Math.max(a, b)) + hour - origin };
  }, [value]);
  const curves = useMemo(() => (value && bounds ? curvesOfGroup(value.series, bounds.origin) : []), [value, bounds]);
  if (error) return <Problem error={error} />;
  if (!bounds) return null;
  const margin = Math.max(hour / 2, (bounds.last - bounds.first) * 0.01);
  const axis = zoom ?? { from: Math.max(0, bounds.first - margin), to: bounds.last + margin };
  const range =
    from === undefined && to === undefined
      ? null
      : { from: Math.max(axis.from, (from ?? 0) - bounds.origin), to: Math.min(axis.to, (to ?? Date.now()) - bounds.origin) };
  const select = (chosen: TimeWindow | null) =>
    setQuery(
      chosen === null
        ? { from: null, to: null, range: null }
        : {
            range: null,
            from: Math.floor((chosen.from + bounds.origin) / hour) * hour,
            to: Math.ceil((chosen.to + bounds.origin) / hour) * hour,
          },
      true,
    );
  return (
    <section class="timeline" aria-label="Maxima over time">
      <div class="timeline-bar">
        <b>Highest value per hour</b>
        <span class="quiet">of any process in the group · drag: select time · wheel: zoom · double-click: reset</span>
        {curves.length > shownCurves && (
          <button class="link" onClick={() => setAll(!all)}>
            {all ? 'fewer metrics' : `${curves.length - shownCurves} more metrics`}
          </button>
        )}
      </div>
      {(all ? curves : curves.slice(0, shownCurves)).map((curve, i) => (
        <GroupCurveView
          key={curve.name}
          curve={curve}
          color={i}
          axis={axis}
          whole={bounds.last + margin}
          range={range}
          origin={bounds.origin}
          select={select}
          zoom={setZoom}
        />
      ))}
      <TimeAxis axis={axis} origin={bounds.origin} runs={runs} />
    </section>
  );
}

interface CurveProperties {
  curve: GroupCurve;
  color: number;
  axis: TimeWindow;
  whole: number;
  range: TimeWindow | null;
  origin: number;
  select(range: TimeWindow | null): void;
  zoom(window: TimeWindow | null): void;
}

function GroupCurveView({ curve, color, axis, whole, range, origin, select, zoom }: CurveProperties) {
  const host = useRef<HTMLDivElement>(null);
  const chart = useRef<Curve | null>(null);
  const act = useRef({ select, zoom });
  act.current = { select, zoom };
  const [hover, setHover] = useState<{ index: number; x: number; y: number } | null>(null);
  const isDark = dark.value;
  const lines = useMemo(() => [{ label: curve.label, color: lineColor(color, isDark), dashed: false }], [curve, color, isDark]);
  useEffect(() => {
    chart.current = new Curve(
      host.current!,
      {
        range: (chosen) => act.current.select(chosen),
        window: (window) => act.current.zoom(window),
        moment: () => {},
        hover: (index, x, y) => setHover(index < 0 ? null : { index, x, y }),
      },
      'group',
    );
    return () => chart.current?.destroy();
  }, []);
  useEffect(() => {
    chart.current?.show({
      data: curve.data,
      lines,
      window: axis,
      whole,
      range,
      moment: null,
      format: (value) => amount(value, curve.unit).replace(' cores', ''),
      theme: timelineThemes[isDark ? 'dark' : 'light'],
    });
  }, [curve, lines, axis.from, axis.to, range?.from, range?.to, isDark]);
  const [times, values] = curve.data;
  return (
    <div class="curve" style={{ height: `${curveHeight}px` }}>
      <span class="curve-label">
        {curve.label}
        {curve.unit === 'cores' && <span class="quiet"> cores</span>}
      </span>
      <div ref={host} role="img" aria-label={`${curve.label} over time, at most ${amount(curve.most, curve.unit)}`} />
      {hover && times[hover.index] !== undefined && (
        <FloatingBox x={hover.x} y={hover.y}>
          <b>{curve.label}</b>
          <br />
          {exactMoment(origin + times[hover.index]!)}
          <br />
          {amount(values[hover.index], curve.unit)}
        </FloatingBox>
      )}
    </div>
  );
}

/** Labels below the lines that the curves draw, and the runs from which on the version of the job or of Spark was another. */
function TimeAxis({ axis, origin, runs }: { axis: TimeWindow; origin: number; runs: ListedApplication[] }) {
  const { host, width } = useWidth();
  const room = Math.max(1, width - gutter);
  const scale = room / (axis.to - axis.from);
  const x = (at: number) => gutter + (at - axis.from) * scale;
  const releases = useMemo(() => releasesOf(runs), [runs]);
  const marks = apart(
    releases
      .map((release) => ({ ...release, run: runs[release.at]!, x: x(runs[release.at]!.startTime - origin) }))
      .filter((mark) => mark.x >= gutter && mark.x <= width - markRoom),
  );
  return (
    <div ref={host}>
      <div class="time-axis" aria-hidden="true">
        {width > 0 &&
          ticks(axis.from, axis.to, room / 90)
            .filter((at) => (axis.to - at) * scale > labelRoom)
            .map((at) => (
              <span key={at} style={{ left: `${x(at)}px` }}>
                {tickText(origin + at)}
              </span>
            ))}
      </div>
      {marks.length > 0 && (
        <div class="release-marks">
          {marks.map((mark, i) => (
            <a
              key={mark.at}
              href={linkTo.application(mark.run.id, mark.run.attempt)}
              title={`${exactMoment(mark.run.startTime)}: ${mark.text}`}
              style={{ left: `${mark.x}px`, maxWidth: `${(marks[i + 1]?.x ?? width) - mark.x}px` }}>
              ▲ {mark.now}
            </a>
          ))}
        </div>
      )}
    </div>
  );
}

/** Marks that would cover each other are one. */
function apart<Mark extends Release & { x: number }>(marks: Mark[]): Mark[] {
  const kept: Mark[] = [];
  for (const mark of marks) {
    const last = kept.at(-1);
    if (last && mark.x - last.x < markRoom) kept[kept.length - 1] = { ...last, text: `${last.text}; ${mark.text}`, now: mark.now };
    else kept.push(mark);
  }
  return kept;
}

function tickText(ms: number): string {
  const date = new Date(ms);
  if (date.getHours() + date.getMinutes() === 0) return new Intl.DateTimeFormat('en-US', { month: 'short', day: 'numeric' }).format(date);
  return moment(ms, ms);
}
