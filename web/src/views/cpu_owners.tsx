// SPDX-License-Identifier: Apache-2.0
// The CPU time of all processes by whom it belongs to: tasks by stage, the driver by query, named work in the background.
import { phaseColor } from '../charts/phase_colors.ts';
import type { CpuOwner } from '../data/contract.ts';
import { duration, share } from '../state/format.ts';
import { useStore } from '../state/store.ts';
import { type Part, StackedParts } from './stacked_parts.tsx';

const shown = 7;
const phases = { task: 'jvm', driver: 'program', background: 'background' };

function partOf({ owner, kind, cpuMs }: CpuOwner, dark: boolean): Part {
  const stage = /^stage (\d+)\.(\d+)$/.exec(owner);
  const name = stage && stage[2] === '0' ? `stage ${stage[1]}` : owner;
  return {
    name: name[0]!.toUpperCase() + name.slice(1),
    ns: cpuMs * 1e6,
    color: phaseColor(phases[kind], dark),
    selection: stage && { event: 'cpu', stage: Number(stage[1]), stageAttempt: Number(stage[2]) },
  };
}

export function CpuOwners() {
  const store = useStore();
  const { owners, ownedShare } = store.model.report;
  const dark = store.dark.value;
  const { from, to } = store.selection.value;
  const sum = owners.reduce((total, owner) => total + owner.cpuMs, 0) * 1e6;
  const parts = owners.slice(0, shown).map((owner) => partOf(owner, dark));
  const rest = sum - parts.reduce((total, part) => total + part.ns, 0);
  if (rest > 0) parts.push({ name: `${owners.length - shown} others`, ns: rest, color: phaseColor('unknown', dark) });
  return (
    <details class="core-time" aria-label="CPU time by owner">
      <summary>
        CPU time by owner{' '}
        <span class="quiet">
          {duration(sum)}
          {ownedShare !== null && `, ${share(ownedShare)} of all processes`}
          {(from !== undefined || to !== undefined) && ', for the whole run'}
        </span>
      </summary>
      <StackedParts parts={parts} sum={sum || 1} />
    </details>
  );
}
