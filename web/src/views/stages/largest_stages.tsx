// SPDX-License-Identifier: Apache-2.0
// The largest parts of the wall time, for data without samples: stages, and the driver.
import { useMemo } from 'preact/hooks';
import { isDriver, wallOfStages } from '../../analysis/stage_share.ts';
import { phaseColor } from '../../charts/phase_colors.ts';
import type { Selection } from '../../data/contract.ts';
import { stageLabel } from '../../data/model.ts';
import { duration, exact } from '../../state/format.ts';
import { useStore } from '../../state/store.ts';
import { LongName } from '../long_name.tsx';
import { RowBar } from '../row_bar.tsx';

const shown = 6;

interface Row {
  name: string;
  ns: number;
  selection: Selection;
}

export function LargestStages() {
  const store = useStore();
  const { model } = store;
  const whole = model.duration * 1e6;
  const rows = useMemo(() => {
    const { stages, wallTime } = model.report;
    const driver = wallTime.filter(({ name }) => isDriver(name)).reduce((sum, { ns }) => sum + ns, 0);
    return [
      ...wallOfStages(model).map((ns, row): Row => {
        const stage = stages[row]!;
        return {
          ns,
          name: `Stage ${stageLabel(stage)}: ${stage.name}`,
          selection: { stage: stage.stageId, stageAttempt: stage.attemptId },
        };
      }),
      { ns: driver, name: 'Driver, no stage runs', selection: { executor: 'driver' } },
    ]
      .sort((a, b) => b.ns - a.ns)
      .slice(0, shown)
      .filter(({ ns }) => ns > 0);
  }, [model]);
  if (rows.length === 0) return null;
  return (
    <section class="top-functions" aria-label="Largest parts">
      <h2>
        Largest parts <span class="quiet">of {duration(whole)} wall time</span>
      </h2>
      <ol>
        {rows.map(({ name, ns, selection }) => (
          <RowBar
            key={name}
            amount={duration(ns)}
            part={ns / whole}
            length={ns / rows[0]!.ns}
            color={selection.stage === undefined ? phaseColor('driver', store.dark.value) : 'var(--accent)'}
            title={`${name}: ${exact(ns, 'ns')}`}
            pick={() => store.goTo(selection)}>
            <LongName text={name} />
          </RowBar>
        ))}
      </ol>
    </section>
  );
}
