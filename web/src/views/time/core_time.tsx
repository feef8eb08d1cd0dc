// SPDX-License-Identifier: Apache-2.0
// The cost in core-hours and what it was paid for.
import { useMemo } from 'preact/hooks';
import { coreTimeIn } from '../../analysis/core_time.ts';
import { samplePhases } from '../../analysis/sample_phases.ts';
import { phaseLabels } from '../../analysis/stage_phases.ts';
import { phaseColor, phaseOfCoreTime } from '../../charts/phase_colors.ts';
import { clocks, exact, hours, money, share } from '../../state/format.ts';
import { useStore } from '../../state/store.ts';
import { type Part, StackedParts } from '../stacked_parts.tsx';

const hour = 3600e9;

/** "1.4 core-hours"; small jobs in core-seconds */
export function coreHours(ns: number): string {
  if (ns < 0.1 * hour) return `${(ns / 1e9).toFixed(0)} core-seconds`;
  return `${hours(ns / hour)} core-hours`;
}

/** Parts of the core time: those of the whole run as the command prints them, or of the selected time. */
export function CoreTime() {
  const store = useStore();
  const { model } = store;
  const { cost } = model.report.application;
  const { from, to } = store.selection.value;
  const isWhole = from === undefined && to === undefined;
  const dark = store.dark.value;
  const parts = useMemo((): Part[] => {
    const hasSamples = model.report.events.length > 0;
    // several parts have one event: their link shows their samples alone
    const samplesOf = (phase: string) => (hasSamples && phase in samplePhases ? { phase, event: samplePhases[phase]!.event } : null);
    if (isWhole)
      return model.report.timeSpent
        .filter(({ ns }) => ns > 0)
        .map((part) => {
          const phase = phaseOfCoreTime(part.name);
          return {
            ...part,
            name: (phase !== 'other' && phaseLabels[phase]) || part.name,
            selection: part.selection && { ...part.selection, ...samplesOf(phase) },
            color: phaseColor(phase, dark),
          };
        });
    return coreTimeIn(model, from ?? 0, to ?? model.duration).map(({ phase, ns }) => ({
      name: phaseLabels[phase] ?? 'Idle cores',
      ns,
      selection: samplesOf(phase) && { ...samplesOf(phase), from, to },
      color: phaseColor(phase, dark),
      estimate: true,
    }));
  }, [model, from, to, dark]);
  const sum = parts.reduce((total, part) => total + part.ns, 0) || 1;
  const whole = model.report.timeSpent.reduce((total, part) => total + part.ns, 0);
  return (
    <section class="core-time" aria-label="Core time">
      <h2>
        Cost{' '}
        <span class="quiet" title={exact(sum, 'ns')}>
          {coreHours(sum)}, cores × time
          {isWhole && cost && ` · ${money(cost.total, cost.currency)}, ${share(1 - cost.tasks / cost.total)} without a task`}
          {!isWhole && cost && whole > 0 && ` · about ${money((cost.total * sum) / whole, cost.currency)}`}
          {!isWhole && `, ${clocks(from ?? 0, to ?? model.duration)}`}
        </span>
      </h2>
      <StackedParts parts={parts} sum={sum} />
    </section>
  );
}
