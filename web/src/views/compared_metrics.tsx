// SPDX-License-Identifier: Apache-2.0
// The first answer of a comparison: what a task of each side did on average.
import { useMemo } from 'preact/hooks';
import { compareTasks, sharedCode } from '../analysis/compared_tasks.ts';
import { usePart, useStore } from '../state/store.ts';
import { RatioTable } from './ratio_table.tsx';
import { sidesInWords } from './sides.ts';
import { differenceInWords } from './task_difference.ts';
import { plural } from './text.ts';

const shownMetrics = 6;

export function ComparedMetrics() {
  const store = useStore();
  const first = store.selection.value;
  const second = store.versus.value;
  const [all, setAll] = usePart('allMetrics');
  const key = JSON.stringify([{ ...first, search: undefined, event: undefined }, second]);
  const compared = useMemo(() => (second ? compareTasks(store.model, first, second) : null), [store.model, key]);
  const words = useMemo(
    () => (compared && second ? differenceInWords(compared.metrics, sharedCode(store.model, first, second)) : ''),
    [compared],
  );
  if (!compared || compared.metrics.length === 0) return null;
  const shown = all ? compared.metrics : compared.metrics.slice(0, shownMetrics);
  return (
    <section class="compared-metrics" aria-label="Compared tasks">
      {words && <p class="difference">{words}</p>}
      <RatioTable
        caption={`Means of ${plural(compared.tasks[0], 'task')} and ${plural(compared.tasks[1], 'task')}`}
        sides={sidesInWords(store, first, second!)}
        rows={shown.map(({ metric: { label, unit }, a, b }) => ({ label, unit, a, b }))}
      />
      {compared.metrics.length > shownMetrics && (
        <button class="link" onClick={() => setAll(all ? '' : '1')}>
          {all ? 'Fewer metrics' : `${compared.metrics.length - shownMetrics} more metrics`}
        </button>
      )}
    </section>
  );
}
