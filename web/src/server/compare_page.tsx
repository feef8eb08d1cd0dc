// SPDX-License-Identifier: Apache-2.0
// Two applications, or two time ranges of groups, next to each other.
import { sideIds } from '../analysis/side_by_side.ts';
import type { Store } from '../state/store.ts';
import { api, getJson } from './api.ts';
import { Problem, TopBar } from './chrome.tsx';
import { ComparedSettings } from './compare_settings.tsx';
import { ComparedStages } from './compare_stages.tsx';
import { ComparedSummary } from './compare_summary.tsx';
import { ChooseSides } from './choose_sides.tsx';
import { loadSides, nameOf, sideOf, swapped, type Side } from './compare_sides.ts';
import type { Comparison } from './contract.ts';
import { events, flameKeys, FlamePanel } from './flame_panel.tsx';
import { usePolled } from './poll.ts';
import { changed, pathWith, query, setQuery } from './query.ts';
import { useReportStore } from './use_store.ts';

const views = [
  { id: 'flame', label: 'Flame graph' },
  { id: 'stages', label: 'Stages' },
  { id: 'settings', label: 'Settings' },
];

export function ComparePage() {
  const parameters = query.value;
  const a = sideOf(parameters, 'a');
  const b = sideOf(parameters, 'b');
  if (!a || !b) {
    return (
      <>
        <TopBar title="Compare" keys={[['?', 'this help']]} />
        <ChooseSides a={parameters.get('a') ?? ''} b={parameters.get('b') ?? ''} />
      </>
    );
  }
  return <Compared sides={[a, b]} />;
}

function Compared({ sides }: { sides: [Side, Side] }) {
  const parameters = query.value;
  const areApplications = sides[0].kind === 'application' && sides[1].kind === 'application';
  const url = api('/compare', { a: parameters.get('a'), b: parameters.get('b') });
  const { value, error } = usePolled<Comparison | null>(areApplications ? url : '', async (signal) =>
    areApplications ? getJson<Comparison>(url, signal) : null,
  );
  const shown = areApplications ? views : views.slice(0, 1);
  const current = shown.find(({ id }) => id === parameters.get('view'))?.id ?? 'flame';
  return (
    <>
      <TopBar title="Compare" facts={sides.map((side) => nameOf(side, Date.now())).join(' with ')} keys={flameKeys} />
      <Problem error={error} />
      <ComparedSummary sides={sides} comparison={value} swap={pathWith('/compare', swapped(parameters))} />
      <div class="tabs">
        <nav aria-label="Views of the comparison">
          {shown.map(({ id, label }) => {
            const to = changed(parameters, { view: id === 'flame' ? null : id });
            const number = !value ? '' : id === 'stages' ? ` ${value.stages.length}` : id === 'settings' ? ` ${value.settings.length}` : '';
            return (
              <a
                key={id}
                class="tab"
                href={pathWith('/compare', to)}
                aria-current={id === current ? 'page' : undefined}
                onClick={(event) => {
                  if (event.ctrlKey || event.metaKey || event.shiftKey) return;
                  event.preventDefault();
                  setQuery({ view: to.get('view') }, true);
                }}>
                {label}
                <span class="quiet">{number}</span>
              </a>
            );
          })}
        </nav>
      </div>
      {current === 'flame' && <ComparedFlame sides={sides} />}
      {current === 'stages' && value && <ComparedStages stages={value.stages} />}
      {current === 'settings' && value && <ComparedSettings settings={value.settings} />}
    </>
  );
}

function ComparedFlame({ sides }: { sides: [Side, Side] }) {
  const event = query.value.get('event') ?? 'cpu';
  const hasGroup = sides.some((side) => side.kind === 'group');
  // an application's data have all events
  const key = JSON.stringify([sides, hasGroup ? event : '']);
  const { value, error } = usePolled(key, (signal) => loadSides(sides, event, signal));
  const store = useReportStore(value, (there) => showSides(there, event, sides));
  const choose = (name: string) => {
    setQuery({ event: name === 'cpu' ? null : name });
    if (store) store.select({ event: name });
  };
  if (!store) return <main>{error ? <Problem error={error} /> : <p class="loading">Loading both sides…</p>}</main>;
  const choices = hasGroup ? events : store.model.report.events;
  return (
    <main>
      <Problem error={error} />
      <FlamePanel store={store} event={hasGroup ? event : (store.event.value?.name ?? event)} choices={choices} choose={choose}>
        <span class="quiet">widths are the mean of both sides; orange: more in A, blue: less</span>
      </FlamePanel>
    </main>
  );
}

/** A and B are the two sides, whatever else the address says. */
function showSides(store: Store, event: string, sides: [Side, Side]): void {
  store.sideNames = [nameOf(sides[0], Date.now()), nameOf(sides[1], Date.now())];
  const { selection, versus } = store.view.peek();
  if (selection.executor === sideIds[0] && versus?.executor === sideIds[1] && selection.event === event) return;
  store.update({ selection: { ...selection, event, executor: sideIds[0] }, versus: { executor: sideIds[1] } });
}
