// SPDX-License-Identifier: Apache-2.0
// The differential flame graph of two reports: one report whose two executors are the sides.
import { useMemo } from 'preact/hooks';
import { sideBySide, sideIds } from '../../analysis/side_by_side.ts';
import type { Report } from '../../data/contract.ts';
import { withDefaults } from '../../data/decode.ts';
import type { Store } from '../../state/store.ts';
import { FlamePanel } from '../flame_panel.tsx';
import { useReportStore } from '../use_store.ts';

interface Properties {
  /** the second one is the baseline */
  reports: [Report, Report] | null;
  names: [string, string];
  event: string;
  /** events to choose from; absent: those of the reports */
  choices?: { name: string; label: string }[];
  choose(event: string): void;
}

export function ComparedFlame({ reports, names, event, choices, choose }: Properties) {
  const both = useMemo(() => reports && withDefaults(sideBySide(reports, names)), [reports]);
  const store = useReportStore(both, (there) => showSides(there, event, names));
  if (!store) return <p class="loading">Loading both sides…</p>;
  return (
    <FlamePanel
      store={store}
      event={choices ? event : (store.event.value?.name ?? event)}
      choices={choices ?? store.model.report.events}
      choose={(name) => {
        choose(name);
        store.select({ event: name });
      }}>
      <span class="quiet">widths are the mean of both sides; orange: more than in the baseline, blue: less</span>
    </FlamePanel>
  );
}

/** Always the two sides: the address cannot select others. */
function showSides(store: Store, event: string, names: [string, string]): void {
  store.sideNames = names;
  const { selection, versus } = store.view.peek();
  if (selection.executor === sideIds[0] && versus?.executor === sideIds[1] && selection.event === event) return;
  store.update({ selection: { ...selection, event, executor: sideIds[0] }, versus: { executor: sideIds[1] } });
}
