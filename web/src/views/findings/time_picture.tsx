// SPDX-License-Identifier: Apache-2.0
// Areas over the time of the application, one panel below the other, with limits, the time that a finding is about, and moments.
import { highestPerPixel } from '../../analysis/pixels.ts';
import { tickLabel, ticks, tickStep } from '../../charts/timeline/scale.ts';
import { useStore } from '../../state/store.ts';
import { pictureWidth as width } from './size.ts';

export interface Area {
  time: ArrayLike<number>;
  /** hold until the next one */
  value: ArrayLike<number | null>;
  color: string;
  label?: string;
}
export interface Panel {
  label: string;
  /** px */
  height: number;
  /** drawn one over the other: the largest first */
  areas: Area[];
  /** of the axis */
  most: number;
  limit?: { value: number; label: string };
}
export interface TimeStory {
  panels: Panel[];
  /** ms */
  spans: { from: number; to: number }[];
  moments: { at: number; label: string }[];
  caption: string;
}

const labelHeight = 18;
const axisHeight = 16;
const tickCount = 5;
/** A tick this near to the right edge ends there. */
const nearEnd = 0.94;

function areaPath({ time, value }: Area, whole: number, most: number, height: number): string {
  const tops = highestPerPixel(time, value, 0, whole, width);
  const steps = Array.from(tops, (top, x) => `V${(height - Math.min(1, top / most) * (height - 2)).toFixed(1)}H${x + 1}`);
  return `M0,${height}${steps.join('')}V${height}Z`;
}

export function TimePicture({ story }: { story: TimeStory }) {
  const { model } = useStore();
  const { panels, spans, moments, caption } = story;
  const whole = model.duration;
  const xOf = (ms: number) => (Math.max(0, Math.min(whole, ms)) / whole) * width;
  let next = 0;
  const placed = panels.map((panel) => {
    const top = next + labelHeight;
    next = top + panel.height;
    return { panel, top };
  });
  const bottom = next;
  return (
    <figure class="picture">
      <svg viewBox={`0 0 ${width} ${bottom + axisHeight}`} width={width} role="img" aria-label={caption}>
        {placed.map(({ panel, top }) => (
          <g key={panel.label} transform={`translate(0 ${top})`}>
            <text y={-5}>{panel.label}</text>
            {panel.areas.map((area, i) => (
              <path key={i} d={areaPath(area, whole, panel.most, panel.height)} fill={area.color} />
            ))}
            {panel.limit && <Limit {...panel.limit} y={panel.height - (panel.limit.value / panel.most) * (panel.height - 2)} />}
            <line class="picture-base" x2={width} y1={panel.height} y2={panel.height} />
          </g>
        ))}
        {spans.map(({ from, to }) => (
          <rect
            key={from}
            class="picture-span"
            x={xOf(from)}
            width={Math.max(1.5, xOf(to) - xOf(from))}
            y={labelHeight}
            height={bottom - labelHeight}
          />
        ))}
        {moments.map(({ at, label }) => (
          <g key={at} class="picture-moment">
            <line x1={xOf(at)} x2={xOf(at)} y1={labelHeight} y2={bottom} />
            <text x={xOf(at) + (xOf(at) > width / 2 ? -4 : 4)} y={labelHeight + 11} text-anchor={xOf(at) > width / 2 ? 'end' : 'start'}>
              {label}
            </text>
          </g>
        ))}
        <g class="picture-axis">
          {ticks(0, whole, tickCount).map((ms) => (
            <text key={ms} x={xOf(ms)} y={bottom + 12} text-anchor={ms === 0 ? 'start' : ms > nearEnd * whole ? 'end' : 'middle'}>
              {tickLabel(ms, tickStep(whole, tickCount))}
            </text>
          ))}
        </g>
      </svg>
      <figcaption class="quiet">
        {panels
          .flatMap(({ areas }) => areas)
          .map(
            ({ label, color }) =>
              label && (
                <span key={label} class="picture-key">
                  <i class="swatch square" style={{ background: color }} />
                  {label}
                </span>
              ),
          )}
        {caption}
      </figcaption>
    </figure>
  );
}

function Limit({ y, label }: { y: number; label: string }) {
  return (
    <g class="picture-limit">
      <line x2={width} y1={y} y2={y} />
      <text y={y < 14 ? y + 12 : y - 4}>{label}</text>
    </g>
  );
}
