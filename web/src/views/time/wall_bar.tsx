// SPDX-License-Identifier: Apache-2.0
// The wall time as one bar: what the run waited for, from its start to its end. A stage is split from top to bottom by what its
// tasks did, so that an area of a color is time.
import { useMemo, useRef, useState } from 'preact/hooks';
import { phaseLabels, phasesOfStages } from '../../analysis/stage_phases.ts';
import { namesOf, partsOf, stagesIn, type WallPart } from '../../analysis/time/wall_parts.ts';
import { stagePhase, wallOfPhases, wallOfStages, wallPhases, wallSpans, within } from '../../analysis/time/wall_time.ts';
import { phaseColor } from '../../charts/phase_colors.ts';
import { zoomed, type TimeWindow } from '../../charts/timeline/pointer.ts';
import { tickLabel, ticks, tickStep } from '../../charts/timeline/scale.ts';
import type { Selection } from '../../data/contract.ts';
import type { Model } from '../../data/model.ts';
import { clock, duration, exact, share } from '../../state/format.ts';
import { useStore } from '../../state/store.ts';
import { timeEvents } from '../../state/time_axis.ts';
import { FloatingBox } from '../floating_box.tsx';
import { LongName } from '../long_name.tsx';
import { moveAlong } from '../move_along.ts';
import { useWidth } from '../use_width.ts';
import { useTimeDrag } from './time_drag.ts';

const shownTicks = 8;
const nearEnd = 0.96;
/** px */
const narrowestLabel = 60;
const letterWidth = 7;
/** of a part */
const leastShown = 0.005;
const mostLines = 3;

/** In the order in which they are drawn, from the top. */
const labels: Record<string, string> = {
  ...Object.fromEntries(Object.entries(wallPhases).map(([id, { label }]) => [id, label])),
  ...phaseLabels,
  [stagePhase]: 'Stages without a breakdown',
};
const order = Object.keys(labels);

/** Uses of the time of a part, for stages those of their tasks; ns. */
function contentOf(model: Model, { spans }: WallPart, window: TimeWindow): { phase: string; ns: number }[] {
  const phases = phasesOfStages(model);
  const sums = new Map<string, number>();
  const add = (phase: string, ns: number) => sums.set(phase, (sums.get(phase) ?? 0) + ns);
  for (const span of spans) {
    const ns = within(span, window.from, window.to);
    const own = phases[span.stage];
    if (own && own.whole > 0) for (const part of own.parts) add(part.phase, (ns * part.ns) / own.whole);
    else add(span.phase, ns);
  }
  return order.flatMap((phase) => (sums.has(phase) ? [{ phase, ns: sums.get(phase)! }] : []));
}

/** The stage of a part, or its time. */
function selectionOf(model: Model, part: WallPart): Selection {
  const rows = stagesIn(part);
  const stage = model.report.stages[rows.length === 1 && part.spans.length === 1 ? rows[0]! : -1];
  if (stage) return { stage: stage.stageId, stageAttempt: stage.attemptId };
  const time = { from: Math.floor(part.begin), to: Math.ceil(part.end) };
  return rows.length === 0 ? { executor: 'driver', ...time } : time;
}

interface BarProperties {
  axis: TimeWindow;
  /** what a click on a part does; null: nothing */
  pick: ((selection: Selection) => void) | null;
  /** a drag selects time */
  selects: boolean;
  label: string;
}

/** The parts alone, as wide as there is room; the times stand elsewhere. */
export function WallParts({ axis, pick, selects, label: title }: BarProperties) {
  const store = useStore();
  const { model } = store;
  const { host, width } = useWidth();
  const dark = store.dark.value;
  const span = axis.to - axis.from;
  const shown = useMemo(
    () =>
      partsOf(model, wallSpans(model), axis, width).map((part) => ({
        part,
        names: namesOf(model, part),
        content: contentOf(model, part, axis),
        ns: 1e6 * (part.end - part.begin),
      })),
    [model, axis.from, axis.to, width],
  );
  const [hover, setHover] = useState<{ at: number; x: number; y: number } | null>(null);
  const pointed = hover ? shown[hover.at] : undefined;
  const { dragged, ...drag } = useTimeDrag(axis);
  const { from, to } = store.selection.value;
  const range = dragged ?? (from === undefined && to === undefined ? null : { from: from ?? 0, to: to ?? model.duration });
  const anchor = useRef(0);
  /** Arrow keys walk along the bar, which is one tab stop; with Shift they select the time of the parts that they pass. */
  const onKey = (event: KeyboardEvent) => {
    if (selects && /^[-+0]$/.test(event.key)) {
      const pressed = [...(event.currentTarget as HTMLElement).querySelectorAll('button')].indexOf(
        document.activeElement as HTMLButtonElement,
      );
      const { begin, end } = (shown[pressed] ?? shown[0]!).part;
      timeEvents(store).window(event.key === '0' ? null : zoomed(axis, (begin + end) / 2, event.key === '+' ? 0.5 : 2, model.duration));
      event.preventDefault();
      event.stopPropagation();
      return;
    }
    const moved = moveAlong(event);
    if (!moved) return;
    if (!event.shiftKey) anchor.current = moved.at;
    else if (selects) {
      const passed = [anchor.current, moved.at].map((at) => shown[at]!.part);
      timeEvents(store).range({ from: Math.min(...passed.map(({ begin }) => begin)), to: Math.max(...passed.map(({ end }) => end)) });
    }
  };
  const left = (ms: number) => `${(100 * (ms - axis.from)) / span}%`;
  const wide = (ms: number) => `${(100 * ms) / span}%`;
  const inside = (ms: number) => Math.max(axis.from, Math.min(axis.to, ms));
  return (
    <div
      class="wall-bar"
      ref={host}
      role="toolbar"
      aria-label={`${title}${selects ? '; Shift and arrow keys select a time, + and - zoom, 0 shows all' : ''}`}
      onMouseLeave={() => setHover(null)}
      onKeyDown={onKey}
      {...(selects ? drag : {})}>
      {shown.map(({ part, names, content, ns }, at) => {
        const pixels = (part.end - part.begin) * (width / span);
        const isRoomy = pixels >= Math.min(3 * narrowestLabel, (names.long.length + 1) * letterWidth);
        const body = (
          <>
            <span class="wall-phases" aria-hidden="true">
              {content.map((one) => (
                <i key={one.phase} style={{ flexGrow: one.ns, background: phaseColor(one.phase, dark) }} />
              ))}
            </span>
            {(pixels >= narrowestLabel || (names.short.length + 1) * letterWidth <= pixels) && (
              <span class="wall-name">{isRoomy ? <LongName text={names.long} /> : names.short}</span>
            )}
          </>
        );
        const properties = {
          class: 'wall-part',
          'data-ns': ns,
          style: { left: left(part.begin), width: wide(part.end - part.begin) },
          'aria-label': `${names.long.toLowerCase().includes(names.short.toLowerCase()) ? '' : `${names.short}: `}${names.long}: ${duration(ns)}, ${share(ns / 1e6 / model.duration)}`,
          onMouseMove: (event: MouseEvent) => setHover({ at, x: event.clientX, y: event.clientY }),
        };
        return pick ? (
          <button key={at} {...properties} tabIndex={at === 0 ? 0 : -1} onClick={() => pick(selectionOf(model, part))}>
            {body}
          </button>
        ) : (
          <span key={at} {...properties} role="img">
            {body}
          </span>
        );
      })}
      {selects && range && (
        <>
          <span class="wall-veil" style={{ left: 0, width: wide(inside(range.from) - axis.from) }} />
          <span class="wall-veil" style={{ right: 0, width: wide(axis.to - inside(range.to)) }} />
          <span class="wall-range" style={{ left: left(inside(range.from)), width: wide(inside(range.to) - inside(range.from)) }} />
        </>
      )}
      {hover && pointed && !dragged && (
        <FloatingBox x={hover.x} y={hover.y}>
          <PartText {...pointed} />
        </FloatingBox>
      )}
    </div>
  );
}

interface Shown {
  part: WallPart;
  names: { long: string };
  content: { phase: string; ns: number }[];
  ns: number;
}

function PartText({ part, names, content, ns }: Shown) {
  const store = useStore();
  const { model } = store;
  const dark = store.dark.value;
  const rows = stagesIn(part);
  const [first] = rows;
  const { stages } = model.report;
  const alike = first === undefined ? [] : [...stages.keys()].filter((row) => stages[row]!.name === stages[first]!.name);
  const walls = wallOfStages(model);
  const together = alike.reduce((sum, row) => sum + walls[row]!, 0);
  return (
    <>
      <b>{names.long}</b>
      <br />
      <span title={exact(ns, 'ns')}>
        {duration(ns)}, {share(ns / 1e6 / model.duration)}, from {clock(part.begin)}
      </span>
      {content.length === 1 && <div class="quiet">{wallPhases[content[0]!.phase]?.detail}</div>}
      {rows.length === 1 && alike.length > 1 && (
        <>
          <br />
          {alike.length} equal stages: {duration(together)}, {share(together / 1e6 / model.duration)}
        </>
      )}
      {content.length > 1 && (
        <dl>
          {content
            .filter((one) => one.ns >= leastShown * ns)
            .map((one) => (
              <div key={one.phase}>
                <dt>
                  <i class="swatch square" style={{ background: phaseColor(one.phase, dark) }} /> {labels[one.phase]}
                </dt>
                <dd>{share(one.ns / ns)}</dd>
              </div>
            ))}
        </dl>
      )}
      {linesIn(part).map(([line, lineNs]) => (
        <div key={line} class="code">
          {line} <span class="quiet">{duration(lineNs)}</span>
        </div>
      ))}
      {rows.length > 0 && (
        <span class="quiet">
          {rows.every((row) => phasesOfStages(model)[row]!.sampled) ? 'Tasks by samples' : 'Tasks by Spark’s metrics'}
        </span>
      )}
    </>
  );
}

/** The lines of the driver's program with the most time in a part. */
function linesIn({ spans, begin, end }: WallPart): [string, number][] {
  const sums = new Map<string, number>();
  for (const span of spans) if (span.line) sums.set(span.line, (sums.get(span.line) ?? 0) + within(span, begin, end));
  return [...sums].sort((a, b) => b[1] - a[1]).slice(0, mostLines);
}

interface Properties {
  open: ((selection: Selection) => void) | null;
  label: string;
  /** of the bar, as a share of the width that there is */
  length: number;
}

/** The bar of a whole run with its times, to stand below that of another run. */
export function WallBar({ open, label, length }: Properties) {
  const store = useStore();
  const { duration: whole } = store.model;
  const mostTicks = Math.ceil(shownTicks * length);
  return (
    <section class="wall" aria-label={label} style={{ width: `${100 * length}%` }}>
      <WallParts axis={{ from: 0, to: whole }} pick={open} selects={false} label={label} />
      <div class="wall-axis quiet" aria-hidden="true">
        {ticks(0, whole, mostTicks).map((ms) => (
          <span key={ms} class={ms > nearEnd * whole ? 'last' : ''} style={{ left: `${(100 * ms) / whole}%` }} title={store.dateAt(ms)}>
            {tickLabel(ms, tickStep(whole, mostTicks))}
          </span>
        ))}
      </div>
    </section>
  );
}

/** The phases of one or several reports, without repeats. */
export function WallLegend({ models }: { models: Model[] }) {
  const dark = useStore().dark.value;
  const used = useMemo(() => {
    const found = new Set<string>();
    for (const model of models) {
      const phases = phasesOfStages(model);
      const sums = new Map(wallOfPhases(model));
      sums.delete(stagePhase);
      wallOfStages(model).forEach((wall, row) => {
        const { parts, whole } = phases[row]!;
        if (wall > 0) for (const { phase, ns } of parts) sums.set(phase, (sums.get(phase) ?? 0) + (ns * wall) / whole);
      });
      for (const [phase, ns] of sums) if (ns >= leastShown * model.duration * 1e6) found.add(phase);
    }
    return order.filter((phase) => found.has(phase));
  }, models);
  return (
    <p class="phase-legend">
      {used.map((phase) => (
        <span key={phase}>
          <i class="swatch square" style={{ background: phaseColor(phase, dark) }} />
          {labels[phase]}
        </span>
      ))}
    </p>
  );
}
