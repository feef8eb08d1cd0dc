// SPDX-License-Identifier: Apache-2.0
// Lines over time or over runs, with marks; small enough for SVG. A table on the same page has the numbers.
import { lineColor } from '../charts/timeline/palette.ts';
import { dark } from './theme.ts';
import { useWidth } from '../views/use_width.ts';

export interface ChartLine {
  label: string;
  points: [number, number][];
  dots?: boolean;
}
interface Properties {
  label: string;
  lines: ChartLine[];
  from: number;
  to: number;
  /** vertical lines with a text on hover, and a label where it has room */
  marks: { at: number; text: string; label?: string }[];
  format(value: number): string;
  /** below the first and the last point */
  ends?: string[];
}

const height = 180;
const left = 64;
const bottom = 6;
const top = 8;
/** pixels of a mark's label */
const labelRoom = 56;

export function RunChart({ label, lines, from, to, marks, format, ends = [] }: Properties) {
  const { host, width } = useWidth();
  const most = lines.flatMap(({ points }) => points.map(([, value]) => value)).reduce((a, b) => Math.max(a, b), 0) || 1;
  const x = (at: number) => left + ((at - from) / Math.max(1, to - from)) * (width - left - 10);
  const y = (value: number) => top + (1 - value / most) * (height - top - bottom);
  const hasRoom = (i: number) => {
    const next = marks.slice(i + 1).find(({ label: name }) => name);
    return (next ? x(next.at) : width) - x(marks[i]!.at) >= labelRoom;
  };
  return (
    <div class="run-chart" ref={host}>
      <p class="legend">
        {lines.map((line, i) => (
          <span key={line.label}>
            <svg width="14" height="8" aria-hidden="true">
              <line x1="0" y1="4" x2="14" y2="4" stroke={lineColor(i, dark.value)} stroke-width="2" />
            </svg>{' '}
            {line.label}
          </span>
        ))}
      </p>
      {width > 0 && (
        <svg width={width} height={height} role="img" aria-label={`${label}, at most ${format(most)}`}>
          {[0, 0.5, 1].map((part) => (
            <g key={part}>
              <line class="grid" x1={left} x2={width - 10} y1={y(most * part)} y2={y(most * part)} />
              <text class="tick" x={left - 6} y={y(most * part) + 4} text-anchor="end">
                {format(most * part)}
              </text>
            </g>
          ))}
          {marks.map(({ at, text, label: name }, i) => (
            <g key={i} class={name ? 'mark version' : 'mark'}>
              <title>{text}</title>
              <line x1={x(at)} x2={x(at)} y1={top} y2={height - bottom} />
              {name && hasRoom(i) && (
                <text class="tick" x={x(at) + 4} y={top + 9}>
                  {name}
                </text>
              )}
            </g>
          ))}
          {lines.map((line, i) => (
            <g key={line.label}>
              <polyline
                fill="none"
                stroke={lineColor(i, dark.value)}
                stroke-width="1.5"
                points={line.points.map(([at, value]) => `${x(at)},${y(value)}`).join(' ')}
              />
              {line.dots &&
                line.points.map(([at, value]) => (
                  <circle key={at} cx={x(at)} cy={y(value)} r="3" fill={lineColor(i, dark.value)}>
                    <title>{format(value)}</title>
                  </circle>
                ))}
            </g>
          ))}
        </svg>
      )}
      {ends.length > 0 && (
        <p class="ends quiet" aria-hidden="true">
          {ends.map((end) => (
            <span key={end}>{end}</span>
          ))}
        </p>
      )}
    </div>
  );
}
