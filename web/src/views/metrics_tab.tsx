// SPDX-License-Identifier: Apache-2.0
// Metrics by what they measure: small charts below each other on the axis of the timeline, each of which opens to a large one with a line
// for every process.
import { useMemo } from 'preact/hooks';
import { concurrencyCurve, profileOfAll } from '../analysis/time/concurrency.ts';
import { constantOf } from '../analysis/time/curves.ts';
import { boundariesOf, curvesByProcess, groupMetrics, normalized, type BoundaryKind, type MetricGroup } from '../analysis/metrics.ts';
import { executorMask } from '../analysis/selection.ts';
import type { TimeWindow } from '../charts/timeline/pointer.ts';
import { amount, duration, share } from '../state/format.ts';
import { usePart, useStore } from '../state/store.ts';
import { MetricGraph } from './metric_graph.tsx';
import { TurnedSection } from './turned_section.tsx';

const firstShown = 6;
const smallHeight = 52;
const graphHeight = 140;
const kinds: BoundaryKind[] = ['jobs', 'stages', 'tasks'];

export function MetricsTab() {
  const store = useStore();
  const { model } = store;
  const [chosenBorders, setBorders] = usePart('boundaries');
  const borders = (chosenBorders || 'jobs') as BoundaryKind | 'none';
  const [overlay, setOverlay] = usePart('overlay');
  const together = overlay !== '';
  const { executor } = store.selection.value;
  const all = useMemo(() => {
    const mask = executorMask(model, { executor });
    const running = concurrencyCurve(model, mask);
    return [...(running ? [running] : []), ...curvesByProcess(model, mask)];
  }, [model, executor]);
  const { metrics, window } = store.view.value;
  const groups = useMemo(() => groupMetrics(all), [all]);
  const chosen = metrics.length > 0 ? all.filter(({ name }) => metrics.includes(name)) : all.slice(0, firstShown);
  const boundaries = useMemo(() => (borders === 'none' ? undefined : boundariesOf(model, borders)), [model, borders]);
  const one = useMemo(() => (together ? normalized(chosen) : null), [together, chosen.map(({ name }) => name).join(), all]);
  const axis = window ?? { from: 0, to: model.duration };
  const toggle = (name: string) =>
    store.update({ metrics: metrics.includes(name) ? metrics.filter((other) => other !== name) : [...metrics, name] });
  return (
    <div class="metrics">
      <div class="toolbar">
        {model.report.jobs.length > 0 && (
          <label>
            Boundaries of{' '}
            <select value={borders} onChange={(event) => setBorders(event.currentTarget.value)}>
              {kinds.map((kind) => (
                <option key={kind} value={kind}>
                  {kind}
                </option>
              ))}
              <option value="none">nothing</option>
            </select>
          </label>
        )}
        <button
          class="toggle"
          aria-pressed={together}
          title="Scale each line of the enlarged metrics, or of the first ones, to the maximum of its metric"
          onClick={() => setOverlay(together ? '' : '1')}>
          Overlay (normalized)
        </button>
        <span class="quiet">Click a name to enlarge its chart.</span>
      </div>
      {one ? (
        <MetricGraph curve={one} axis={axis} boundaries={boundaries} height={graphHeight * 2} />
      ) : (
        groups.map((group) => <Group key={group.label} group={group} axis={axis} boundaries={boundaries} large={metrics} toggle={toggle} />)
      )}
      {model.report.tasks.taskId.length > 0 && <ConcurrencyProfile />}
    </div>
  );
}

/** Its own metrics are what nobody looks for first. */
const closedAtFirst = 'Profiler';

interface GroupProperties {
  group: MetricGroup;
  axis: TimeWindow;
  boundaries: ArrayLike<number> | undefined;
  /** names of enlarged metrics */
  large: string[];
  toggle(name: string): void;
}

function Group({ group: { label, curves }, axis, boundaries, large, toggle }: GroupProperties) {
  const constant = curves.filter((curve) => constantOf(curve) !== null);
  return (
    <TurnedSection class="metric-group" title={label} number={curves.length} isOpenAtFirst={label !== closedAtFirst}>
      {(open) => (
        <>
          {open &&
            curves
              .filter((curve) => !constant.includes(curve))
              .map((curve) => {
                const isLarge = large.includes(curve.name);
                return (
                  <MetricGraph
                    key={curve.name}
                    curve={curve}
                    axis={axis}
                    boundaries={boundaries}
                    height={isLarge ? graphHeight : smallHeight}
                    bare={!isLarge}
                    pick={() => toggle(curve.name)}
                  />
                );
              })}
          {open && constant.length > 0 && (
            <p class="note quiet">
              Constant:{' '}
              {constant.map((curve, i) => (
                <span key={curve.name}>
                  {i > 0 && ' · '}
                  {curve.label} <b>{amount(constantOf(curve), curve.unit)}</b>
                </span>
              ))}
            </p>
          )}
        </>
      )}
    </TurnedSection>
  );
}

/** Time spent at each number of running tasks. */
function ConcurrencyProfile() {
  const store = useStore();
  const { model } = store;
  const profile = useMemo(() => profileOfAll(model), [model]);
  const bars = useMemo(() => grouped(profile.timeAt), [profile]);
  const longest = Math.max(1, ...bars.map(({ ms }) => ms));
  return (
    <section class="profile" aria-label="Concurrency profile">
      <h2>
        Concurrency{' '}
        <span class="quiet">
          up to {profile.peak} tasks at once, {profile.mean.toFixed(1)} on average
        </span>
      </h2>
      <table class="plain">
        <thead>
          <tr>
            <th>Tasks at once</th>
            <th class="text">Time</th>
            <th>Share</th>
          </tr>
        </thead>
        <tbody>
          {bars.map(({ label, ms }) => (
            <tr key={label}>
              <td>{label}</td>
              <td class="text">
                <span class="profile-bar">
                  <i style={{ width: `${(100 * ms) / longest}%` }} />
                </span>{' '}
                {duration(ms * 1e6)}
              </td>
              <td>{share(ms / model.duration)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}

const mostBars = 24;

/** One bar for each number of tasks, or for ranges of them where there are many; none running stays apart. */
function grouped(timeAt: ArrayLike<number>): { label: string; ms: number }[] {
  const bars = [{ label: '0', ms: timeAt[0] ?? 0 }];
  const step = Math.max(1, Math.ceil((timeAt.length - 1) / mostBars));
  for (let low = 1; low < timeAt.length; low += step) {
    const high = Math.min(timeAt.length - 1, low + step - 1);
    let ms = 0;
    for (let n = low; n <= high; n++) ms += timeAt[n]!;
    bars.push({ label: low === high ? String(low) : `${low} – ${high}`, ms });
  }
  return bars;
}
