// SPDX-License-Identifier: Apache-2.0
// The cost in core-hours and what it was paid for.
import { samplePhases } from '../../analysis/sample_phases.ts';
import { phaseColor, phaseOfCoreTime } from '../../charts/phase_colors.ts';
import { exact, money, share } from '../../state/format.ts';
import { useStore } from '../../state/store.ts';
import { StackedParts } from '../stacked_parts.tsx';

const hour = 3600e9;

/** "1.4 core-hours"; small jobs in core-seconds */
export function coreHours(ns: number): string {
  if (ns < 0.1 * hour) return `${(ns / 1e9).toFixed(0)} core-seconds`;
  const hours = ns / hour;
  return `${hours >= 99.95 ? hours.toFixed(0) : hours.toFixed(1)} core-hours`;
}

export function CoreTime() {
  const store = useStore();
  const hasSamples = store.model.report.events.length > 0;
  const parts = store.model.report.timeSpent
    .filter((part) => part.ns > 0)
    .map((part) => {
      const phase = phaseOfCoreTime(part.name);
      // several parts have one event: their link shows their samples alone
      const selection =
        part.selection && hasSamples && phase in samplePhases
          ? { ...part.selection, phase, event: samplePhases[phase]!.event }
          : part.selection;
      return { ...part, selection, color: phaseColor(phase, store.dark.value) };
    });
  const { cost } = store.model.report.application;
  const sum = parts.reduce((total, part) => total + part.ns, 0) || 1;
  return (
    <section class="core-time" aria-label="Core time">
      <h2>
        Cost{' '}
        <span class="quiet" title={exact(sum, 'ns')}>
          {coreHours(sum)}, cores × time
          {cost && ` · ${money(cost.total, cost.currency)}, ${share(1 - cost.tasks / cost.total)} without a task`}
        </span>
      </h2>
      <StackedParts parts={parts} sum={sum} />
    </section>
  );
}
