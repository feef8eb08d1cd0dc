// SPDX-License-Identifier: Apache-2.0
// The largest parts of the wall time, for data without samples: stages, and what the driver did.
import { useMemo } from 'preact/hooks';
import { wallOfPhases, wallOfStages, wallPhases } from '../../analysis/time/wall_time.ts';
import { phaseColor } from '../../charts/phase_colors.ts';
import type { Selection } from '../../data/contract.ts';
import { stageLabel } from '../../data/model.ts';
import { clocks, duration, exact } from '../../state/format.ts';
import { useStore } from '../../state/store.ts';
import { LongName } from '../long_name.tsx';
import { RowBar } from '../row_bar.tsx';

const shown = 6;

interface Row {
  name: string;
  ns: number;
  color: string;
  selection: Selection;
}

/** The largest stages of the run, or of the selected time. Equal stages are one row. */
export function LargestStages() {
  const store = useStore();
  const { model } = store;
  const { from, to } = store.selection.value;
  const dark = store.dark.value;
  const [begin, end] = [from ?? 0, Math.min(to ?? Infinity, model.duration)];
  const whole = 1e6 * Math.max(1, end - begin);
  const rows = useMemo(() => {
    const { stages } = model.report;
    const walls = wallOfStages(model, begin, end);
    const equal = new Map<string, number[]>();
    stages.forEach(({ name }, row) => equal.set(name, [...(equal.get(name) ?? []), row]));
    const ofStages = [...equal.values()].map((group): Row => {
      const stage = stages[group[0]!]!;
      return {
        ns: group.reduce((sum, row) => sum + walls[row]!, 0),
        name: group.length > 1 ? `${stage.name} ×${group.length}` : `Stage ${stageLabel(stage)}: ${stage.name}`,
        color: 'var(--accent)',
        selection: group.length > 1 ? { search: stage.name } : { stage: stage.stageId, stageAttempt: stage.attemptId },
      };
    });
    const ofDriver = Object.entries(wallPhases).map(
      ([phase, { label }]): Row => ({
        ns: wallOfPhases(model, begin, end).get(phase) ?? 0,
        name: label,
        color: phaseColor(phase, dark),
        selection: { executor: 'driver', from, to },
      }),
    );
    return [...ofStages, ...ofDriver]
      .sort((a, b) => b.ns - a.ns)
      .slice(0, shown)
      .filter(({ ns }) => ns > 0);
  }, [model, begin, end, dark]);
  if (rows.length === 0) return null;
  return (
    <section class="top-functions" aria-label="Largest parts">
      <h2>
        Largest parts{' '}
        <span class="quiet">
          of {duration(whole)} wall time{(from !== undefined || to !== undefined) && `, ${clocks(begin, end)}`}
        </span>
      </h2>
      <ol>
        {rows.map(({ name, ns, color, selection }) => (
          <RowBar
            key={name}
            amount={duration(ns)}
            part={ns / whole}
            length={ns / rows[0]!.ns}
            color={color}
            title={`${name}: ${exact(ns, 'ns')}`}
            href={store.hrefOf({ tab: selection.search ? 'stages' : store.tabOfSelections, selection, versus: null })}
            go={() => (selection.search ? store.update({ tab: 'stages', selection }, true) : store.goTo(selection))}>
            <LongName text={name} />
          </RowBar>
        ))}
      </ol>
    </section>
  );
}
