// SPDX-License-Identifier: Apache-2.0
import { phaseLabels, type StagePhases } from '../../analysis/stage_phases.ts';
import { phaseColor } from '../../charts/phase_colors.ts';
import { duration, exact, share } from '../../state/format.ts';
import { useStore } from '../../state/store.ts';

/** A bar as long as a share of the wall time, split into the phases of the stage's tasks. */
export function PhaseBar({ phases, part }: { phases: StagePhases; part: number }) {
  const dark = useStore().dark.value;
  const words = phases.parts.map(({ phase, ns }) => `${phaseLabels[phase]} ${share(ns / phases.whole)}`).join(', ');
  return (
    <span class="phase-bar" role="img" aria-label={words || 'No task time'} title={words}>
      <span style={{ width: `${(100 * Math.min(1, part)).toFixed(2)}%` }}>
        {phases.parts.map(({ phase, ns }) => (
          <i key={phase} style={{ flexGrow: ns, background: phaseColor(phase, dark) }} />
        ))}
      </span>
    </span>
  );
}

/** The phases of a stage as one bar with a list, the largest first. */
export function PhaseList({ phases, title }: { phases: StagePhases; title: string }) {
  const dark = useStore().dark.value;
  if (phases.whole === 0) return null;
  return (
    <section class="phase-list" aria-label="Phases">
      <h3>
        {title}{' '}
        <span class="quiet">
          {duration(phases.whole)} of task time, {phases.sampled ? 'from samples' : 'from Spark’s metrics'}
        </span>
      </h3>
      <PhaseBar phases={phases} part={1} />
      <ul>
        {[...phases.parts]
          .sort((a, b) => b.ns - a.ns)
          .map(({ phase, ns }) => (
            <li key={phase} title={exact(ns, 'ns')}>
              <i class="swatch square" style={{ background: phaseColor(phase, dark) }} />
              {phaseLabels[phase]} <b>{share(ns / phases.whole)}</b> <span class="quiet">{duration(ns)}</span>
            </li>
          ))}
      </ul>
    </section>
  );
}
