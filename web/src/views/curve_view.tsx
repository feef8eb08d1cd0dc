// SPDX-License-Identifier: Apache-2.0
import { useEffect, useMemo, useRef, useState } from 'preact/hooks';
import type { CurveData } from '../analysis/time/curves.ts';
import { onTopOfEachOther } from '../analysis/heap.ts';
import { Curve, curveHeight, type TimeMark } from '../charts/curves/curve.ts';
import { barColor, lineColor } from '../charts/timeline/palette.ts';
import type { TimeWindow } from '../charts/timeline/pointer.ts';
import { amount, clock } from '../state/format.ts';
import { useStore } from '../state/store.ts';
import { timeEvents, timelineThemes } from '../state/time_axis.ts';
import { FloatingBox } from './floating_box.tsx';

interface Properties {
  curve: CurveData;
  axis: TimeWindow;
  colorOf(curve: CurveData, line: number): number;
  height?: number;
  boundaries?: ArrayLike<number>;
  breaks?: TimeMark[];
  outlined?: TimeWindow[];
  /** the label is a button, pressed while the chart is large */
  pick?(): void;
  isLarge?: boolean;
}

export function CurveView({ curve, axis, colorOf, height = curveHeight, boundaries, breaks, outlined, pick, isLarge }: Properties) {
  const store = useStore();
  const host = useRef<HTMLDivElement>(null);
  const chart = useRef<Curve | null>(null);
  const [hover, setHover] = useState<{ index: number; x: number; y: number } | null>(null);
  const dark = store.dark.value;
  const { from, to } = store.selection.value;
  const whole = store.model.duration;
  const lines = useMemo(
    () =>
      curve.lines.map((line, i) => ({
        label: line.label,
        color: lineColor(colorOf(curve, i), dark),
        dashed: line.python,
        steps: line.steps,
        fill: curve.stacked && !line.apart ? barColor(colorOf(curve, i), dark) : undefined,
      })),
    [curve, dark],
  );
  const drawn = useMemo(() => (curve.stacked ? onTopOfEachOther(curve) : curve.aligned), [curve]);
  useEffect(() => {
    chart.current = new Curve(
      host.current!,
      { ...timeEvents(store), hover: (index, x, y) => setHover(index < 0 ? null : { index, x, y }) },
      'timeline',
      height,
    );
    return () => chart.current?.destroy();
  }, [store, height]);
  const { moment } = store.view.value;
  useEffect(() => {
    chart.current?.show({
      data: drawn,
      lines,
      window: axis,
      whole,
      range: from === undefined && to === undefined ? null : { from: from ?? 0, to: to ?? whole },
      moment,
      boundaries,
      breaks,
      outlined,
      format: (value) => amount(value, curve.unit).replace(' cores', ''),
      theme: timelineThemes[dark ? 'dark' : 'light'],
    });
  }, [curve, lines, axis.from, axis.to, from, to, moment, boundaries, breaks, outlined, height, dark]);
  const [time, ...columns] = curve.aligned;
  const label = (
    <>
      {curve.label}
      {curve.unit === 'cores' && <span class="quiet"> cores</span>}
    </>
  );
  return (
    <div class="curve" style={{ height: `${height}px` }}>
      {pick ? (
        <button class="link curve-label" aria-pressed={isLarge} title={`${curve.label}: enlarge or shrink the chart`} onClick={pick}>
          {label}
        </button>
      ) : (
        <span class="curve-label">{label}</span>
      )}
      <div
        ref={host}
        role="img"
        aria-label={`${curve.label} over time; ${curve.stacked ? 'the table below has its values' : 'the table under Executors has its extremes'}`}
      />
      {hover && time[hover.index] !== undefined && (
        <FloatingBox x={hover.x} y={hover.y}>
          <b>{curve.label}</b> at {clock(time[hover.index]!)} <span class="quiet">{store.dateAt(time[hover.index]!)}</span>
          <dl>
            {lines.map((line, i) => (
              <div key={line.label}>
                <dt>
                  <i class="swatch" style={{ background: line.color }} />
                  {line.label}
                </dt>
                <dd>{amount(valueAt(columns[i]!, hover.index, !!line.steps), curve.unit)}</dd>
              </div>
            ))}
          </dl>
        </FloatingBox>
      )}
    </div>
  );
}

/** A step has its value also between its points, where only other lines have one. */
function valueAt(column: (number | null)[], index: number, steps: boolean): number | null | undefined {
  let at = index;
  while (steps && at > 0 && column[at] === null) at--;
  return column[at];
}
