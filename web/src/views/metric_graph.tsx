// SPDX-License-Identifier: Apache-2.0
import type { TimeMark } from '../charts/curves/curve.ts';
import { lineColor } from '../charts/timeline/palette.ts';
import type { TimeWindow } from '../charts/timeline/pointer.ts';
import type { CurveData } from '../analysis/time/curves.ts';
import { amount } from '../state/format.ts';
import { useStore } from '../state/store.ts';
import { CurveView } from './curve_view.tsx';

/** A curve with its legend: a color and the maximum of each line. */
export function MetricGraph({
  curve,
  axis,
  boundaries,
  breaks,
  outlined,
  height,
  bare = false,
  pick,
}: {
  curve: CurveData;
  axis: TimeWindow;
  boundaries?: ArrayLike<number>;
  breaks?: TimeMark[];
  outlined?: TimeWindow[];
  height: number;
  /** without its legend */
  bare?: boolean;
  /** the name of the curve is a button */
  pick?(): void;
}) {
  const store = useStore();
  const colorOf = (line: number) => curve.lines[line]!.color ?? line;
  return (
    <section class="metric-graph" aria-label={curve.label}>
      <CurveView
        curve={curve}
        axis={axis}
        colorOf={(_, line) => colorOf(line)}
        height={height}
        boundaries={boundaries}
        breaks={breaks}
        outlined={outlined}
        pick={pick}
        isLarge={!bare}
      />
      {!bare && (curve.lines.length > 1 || curve.lines[0]?.label !== curve.label) && (
        <p class="metric-legend quiet">
          {curve.lines.map((line, i) => (
            <span key={i}>
              <i class="swatch" style={{ background: lineColor(colorOf(i), store.dark.value) }} />
              {line.label} <b>{amount(Math.max(...line.value.map((value) => value ?? 0)), curve.unit)}</b>
            </span>
          ))}
        </p>
      )}
    </section>
  );
}
