// SPDX-License-Identifier: Apache-2.0
// The wall time as one bar: what the application waited for, from its start to its end. A stage is split from top to bottom by what
// its tasks did, so that an area of a color is time.
import { useMemo, useState } from 'preact/hooks';
import { isDriver, stageRowOf } from '../analysis/stage_share.ts';
import { phaseLabels, phasesOfStages, type StagePhases } from '../analysis/stage_phases.ts';
import { phaseColor } from '../charts/phase_colors.ts';
import { tickLabel, ticks, tickStep } from '../charts/timeline/scale.ts';
import type { WallPart } from '../data/contract.ts';
import { clock, duration, exact, share } from '../state/format.ts';
import { useStore } from '../state/store.ts';
import { FloatingBox } from './floating_box.tsx';

const shownTicks = 8;
/** of the bar; narrower parts have no room for a name */
const widestUnnamed = 0.035;

interface Placed {
  part: WallPart;
  left: number;
  width: number;
  /** null: the driver, or several parts */
  phases: StagePhases | null;
  kind: 'stage' | 'driver' | 'several';
  label: string;
}

export function WallBar() {
  const store = useStore();
  const { model } = store;
  const { wallTime, stages } = model.report;
  const whole = wallTime.reduce((sum, part) => sum + part.ns, 0) || 1;
  const phases = useMemo(() => phasesOfStages(model), [model]);
  // with thousands of short stages the parts are sums without a place in time, by their size
  const inTime = wallTime.filter(({ begin }) => begin !== null).length * 2 > wallTime.length;
  const placed = useMemo(() => {
    let next = 0;
    return wallTime.flatMap((part): Placed[] => {
      if (inTime && part.begin === null) return [];
      const left = inTime ? (part.begin! * 1e6) / whole : next;
      const width = part.ns / whole;
      next += width;
      const row = stageRowOf(model, part.selection);
      const kind = row >= 0 ? 'stage' : isDriver(part.name) ? 'driver' : 'several';
      const stage = stages[row];
      const label = stage ? `Stage ${stage.id}${stage.attempt ? `.${stage.attempt}` : ''}` : kind === 'driver' ? 'Driver' : part.name;
      return [{ part, left, width, phases: row >= 0 ? phases[row]! : null, kind, label }];
    });
  }, [wallTime, phases, inTime]);
  const firstLink = placed.findIndex(({ part }) => part.selection);
  const [hover, setHover] = useState<{ at: number; x: number; y: number } | null>(null);
  const dark = store.dark.value;
  const used = Object.keys(phaseLabels).filter((id) =>
    placed.some(({ phases: own }) => own?.parts.some(({ phase, ns }) => phase === id && ns >= 0.005 * own.whole)),
  );
  const wholeMs = whole / 1e6;
  const rest = wallTime.filter(({ begin }) => inTime && begin === null).reduce((sum, { ns }) => sum + ns, 0);
  const shown = hover ? placed[hover.at] : undefined;
  return (
    <section class="wall" aria-label="Wall time">
      <div class="wall-bar" role="toolbar" aria-label="Parts of the wall time" onMouseLeave={() => setHover(null)} onKeyDown={moveFocus}>
        {placed.map(({ part, left, width, phases: own, kind, label }, at) => {
          const style = { left: `${100 * left}%`, width: `${100 * width}%` };
          const words = `${part.name}: ${duration(part.ns)}, ${share(part.ns / whole)}`;
          const body = (
            <>
              <span class="wall-phases" aria-hidden="true" style={{ background: phaseColor(kind === 'driver' ? 'driver' : 'other', dark) }}>
                {own?.parts.map(({ phase, ns }) => (
                  <i key={phase} style={{ flexGrow: ns, background: phaseColor(phase, dark) }} />
                ))}
              </span>
              {width >= widestUnnamed && <span class="wall-name">{label}</span>}
            </>
          );
          const onMove = (event: MouseEvent) => setHover({ at, x: event.clientX, y: event.clientY });
          return part.selection ? (
            <button
              key={at}
              class="wall-part"
              data-ns={part.ns}
              style={style}
              tabIndex={at === firstLink ? 0 : -1}
              aria-label={words}
              onMouseMove={onMove}
              onClick={() => store.goTo(part.selection!)}>
              {body}
            </button>
          ) : (
            <span key={at} class="wall-part" data-ns={part.ns} style={style} role="img" aria-label={words} onMouseMove={onMove}>
              {body}
            </span>
          );
        })}
      </div>
      {inTime && (
        <div class="wall-axis quiet" aria-hidden="true">
          {ticks(0, wholeMs, shownTicks).map((ms) => (
            <span key={ms} style={{ left: `${(100 * ms) / wholeMs}%` }} title={store.dateAt(ms)}>
              {tickLabel(ms, tickStep(wholeMs, shownTicks))}
            </span>
          ))}
        </div>
      )}
      <p class="phase-legend">
        {placed.some(({ kind }) => kind === 'driver') && <Swatch id="driver" label="Driver, no stage runs" />}
        {used.map((id) => (
          <Swatch key={id} id={id} label={phaseLabels[id]!} />
        ))}
        {rest > 0 && (
          <span class="quiet">
            {duration(rest)} ({share(rest / whole)}) in shorter parts, not drawn
          </span>
        )}
      </p>
      {hover && shown && (
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

/** Arrow keys walk along the bar, which is one tab stop. */
function moveFocus(event: KeyboardEvent): void {
  const step = event.key === 'ArrowRight' ? 1 : event.key === 'ArrowLeft' ? -1 : 0;
  const parts = [...(event.currentTarget as HTMLElement).querySelectorAll<HTMLElement>('button')];
  const next = step && parts[parts.indexOf(document.activeElement as HTMLElement) + step];
  if (!next) return;
  event.preventDefault();
  next.focus();
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
