// SPDX-License-Identifier: Apache-2.0
// The wall time as one bar: what the application waited for, from its start to its end. A stage is split from top to bottom by what
// its tasks did, so that an area of a color is time.
import { useMemo, useRef, useState } from 'preact/hooks';
import { isDriver, stageRowOf } from '../../analysis/stage_share.ts';
import { phaseLabels, phasesOfStages, type StagePhases } from '../../analysis/stage_phases.ts';
import { phaseColor } from '../../charts/phase_colors.ts';
import { tickLabel, ticks, tickStep } from '../../charts/timeline/scale.ts';
import type { Selection, WallPart } from '../../data/contract.ts';
import { type Model, stageLabel } from '../../data/model.ts';
import { clock, duration, exact, share } from '../../state/format.ts';
import { useStore } from '../../state/store.ts';
import { timeEvents } from '../../state/time_axis.ts';
import { FloatingBox } from '../floating_box.tsx';
import { moveAlong } from '../move_along.ts';
import { useTimeDrag } from './time_drag.ts';

const shownTicks = 8;
/** px; names stand only over parts that have room for all of them */
const letterWidth = 7.6;
const besideBar = 40;
const nearEnd = 0.96;
/** of the name of several stages, which may be cut */
const fewestLetters = 12;

interface Placed {
  part: WallPart;
  left: number;
  width: number;
  /** null: the driver, or several parts */
  phases: StagePhases | null;
  kind: 'stage' | 'driver' | 'several';
  label: string;
}

interface Bar {
  placed: Placed[];
  /** ns */
  whole: number;
  /** ns of parts that have no place in time */
  rest: number;
  inTime: boolean;
}

function barOf(model: Model): Bar {
  const { wallTime, stages } = model.report;
  const whole = wallTime.reduce((sum, part) => sum + part.ns, 0) || 1;
  const phases = phasesOfStages(model);
  // with thousands of short stages the parts are sums without a place in time, by their size
  const inTime = wallTime.filter(({ begin }) => begin !== null).length * 2 > wallTime.length;
  let next = 0;
  let rest = 0;
  const placed = wallTime.flatMap((part): Placed[] => {
    if (inTime && part.begin === null) {
      rest += part.ns;
      return [];
    }
    const left = inTime ? (part.begin! * 1e6) / whole : next;
    const width = part.ns / whole;
    next += width;
    const row = stageRowOf(model, part.selection);
    const kind = row >= 0 ? 'stage' : isDriver(part.name) ? 'driver' : 'several';
    const stage = stages[row];
    const label = stage ? `Stage ${stageLabel(stage)}` : kind === 'driver' ? 'Driver' : part.name;
    return [{ part, left, width, phases: row >= 0 ? phases[row]! : null, kind, label }];
  });
  return { placed, whole, rest, inTime };
}

interface Properties {
  /** what a click on a part does; null: nothing */
  open?: ((selection: Selection) => void) | null;
  legend?: boolean;
  label?: string;
  /** of the bar, as a share of the width that there is */
  length?: number;
}

export function WallBar({ open, legend = true, label: title = 'Wall time', length = 1 }: Properties) {
  const store = useStore();
  const { model } = store;
  const bar = useMemo(() => barOf(model), [model]);
  const { placed, whole, inTime } = bar;
  const firstLink = placed.findIndex(({ part }) => part.selection);
  const [hover, setHover] = useState<{ at: number; x: number; y: number } | null>(null);
  const dark = store.dark.value;
  const wholeMs = whole / 1e6;
  const mostTicks = Math.ceil(shownTicks * length);
  const shown = hover ? placed[hover.at] : undefined;
  const selects = inTime && open === undefined;
  const { dragged, ...drag } = useTimeDrag(wholeMs);
  const { from, to } = store.selection.value;
  const range = dragged ?? (from === undefined && to === undefined ? null : { from: from ?? 0, to: to ?? wholeMs });
  const anchor = useRef(0);
  /** Arrow keys walk along the bar, which is one tab stop; with Shift they select the time of the parts that they pass. */
  const onKey = (event: KeyboardEvent) => {
    const moved = moveAlong(event);
    if (!moved) return;
    if (!event.shiftKey) anchor.current = moved.at;
    else if (selects) {
      const spans = [anchor.current, moved.at].map((at) => placed[Number(moved.buttons[at]!.dataset.at)]!.part);
      timeEvents(store).range({
        from: Math.min(...spans.map(({ begin }) => begin!)),
        to: Math.max(...spans.map(({ begin, ns }) => begin! + ns / 1e6)),
      });
    }
  };
  return (
    <section class="wall" aria-label={title} style={{ width: `${100 * length}%` }}>
      <div
        class="wall-bar"
        role="toolbar"
        aria-label={`Parts: ${title}${selects ? '; Shift and arrow keys select a time' : ''}`}
        onMouseLeave={() => setHover(null)}
        onKeyDown={onKey}
        {...(selects ? drag : {})}>
        {placed.map(({ part, left, width, phases: own, kind, label }, at) => {
          const style = { left: `${100 * left}%`, width: `${100 * width}%` };
          const words = `${part.name}: ${duration(part.ns)}, ${share(part.ns / whole)}`;
          const body = (
            <>
              <span class="wall-phases" aria-hidden="true" style={{ background: phaseColor(kind === 'stage' ? 'other' : kind, dark) }}>
                {own?.parts.map(({ phase, ns }) => (
                  <i key={phase} style={{ flexGrow: ns, background: phaseColor(phase, dark) }} />
                ))}
              </span>
              {width * length * (innerWidth - besideBar) >= ((kind === 'several' ? fewestLetters : label.length) + 1) * letterWidth && (
                <span class="wall-name">{label}</span>
              )}
            </>
          );
          const onMove = (event: MouseEvent) => setHover({ at, x: event.clientX, y: event.clientY });
          return part.selection && open !== null ? (
            <button
              key={at}
              class="wall-part"
              data-ns={part.ns}
              data-at={at}
              style={style}
              tabIndex={at === firstLink ? 0 : -1}
              aria-label={words}
              onMouseMove={onMove}
              onClick={() => (open ? open(part.selection!) : store.goTo(part.selection!))}>
              {body}
            </button>
          ) : (
            <span key={at} class="wall-part" data-ns={part.ns} style={style} role="img" aria-label={words} onMouseMove={onMove}>
              {body}
            </span>
          );
        })}
        {selects && range && (
          <span
            class="wall-range"
            style={{ left: `${(100 * range.from) / wholeMs}%`, width: `${(100 * (Math.min(range.to, wholeMs) - range.from)) / wholeMs}%` }}
          />
        )}
      </div>
      {inTime && (
        <div class="wall-axis quiet" aria-hidden="true">
          {ticks(0, wholeMs, mostTicks).map((ms) => (
            <span
              key={ms}
              class={ms > nearEnd * wholeMs ? 'last' : ''}
              style={{ left: `${(100 * ms) / wholeMs}%` }}
              title={store.dateAt(ms)}>
              {tickLabel(ms, tickStep(wholeMs, mostTicks))}
            </span>
          ))}
        </div>
      )}
      {legend && <BarLegend bars={[bar]} hint={selects ? 'drag: select a time' : ''} />}
      {hover && shown && !dragged && (
        <FloatingBox x={hover.x} y={hover.y}>
          <b>{shown.part.name}</b>
          <br />
          <span title={exact(shown.part.ns, 'ns')}>
            {duration(shown.part.ns)}, {share(shown.part.ns / whole)}
            {shown.part.begin !== null && `, from ${clock(shown.part.begin)}`}
          </span>
          {shown.phases && (
            <dl>
              {shown.phases.parts.map(({ phase, ns }) => (
                <div key={phase}>
                  <dt>
                    <i class="swatch square" style={{ background: phaseColor(phase, dark) }} /> {phaseLabels[phase]}
                  </dt>
                  <dd>{share(ns / shown.phases!.whole)}</dd>
                </div>
              ))}
            </dl>
          )}
          {shown.phases && (
            <span class="quiet">{shown.phases.sampled ? 'of task time, from samples' : 'of task time, from Spark’s metrics'}</span>
          )}
        </FloatingBox>
      )}
    </section>
  );
}

/** The phases of several reports, without repeats. */
export function WallLegend({ models }: { models: Model[] }) {
  return <BarLegend bars={useMemo(() => models.map(barOf), [models])} />;
}

function BarLegend({ bars, hint = '' }: { bars: Bar[]; hint?: string }) {
  const all = bars.flatMap(({ placed }) => placed);
  const used = Object.keys(phaseLabels).filter((id) =>
    all.some(({ phases }) => phases?.parts.some(({ phase, ns }) => phase === id && ns >= 0.005 * phases.whole)),
  );
  return (
    <p class="phase-legend">
      {all.some(({ kind }) => kind === 'driver') && <Swatch id="driver" label="Driver, no stage runs" />}
      {used.map((id) => (
        <Swatch key={id} id={id} label={phaseLabels[id]!} />
      ))}
      {all.some(({ kind }) => kind === 'several') && <Swatch id="several" label="Several stages" />}
      {bars.some(({ rest }) => rest > 0) && (
        <span>
          <i class="swatch square short-parts" />
          Shorter parts{bars.map(({ rest, whole }) => `, ${duration(rest)} (${share(rest / whole)})`)}
        </span>
      )}
      {hint && <span class="quiet">{hint}</span>}
    </p>
  );
}

export function Swatch({ id, label }: { id: string; label: string }) {
  const dark = useStore().dark.value;
  return (
    <span>
      <i class="swatch square" style={{ background: phaseColor(id, dark) }} />
      {label}
    </span>
  );
}
