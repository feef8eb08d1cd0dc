// SPDX-License-Identifier: Apache-2.0
// Two runs in one file: no server, so their own pages are not at hand.
import { useState } from 'preact/hooks';
import type { Report } from '../../data/contract.ts';
import { ChangeView } from './change_view.tsx';
import { ComparedFlame } from './compared_flame.tsx';
import type { RunChange } from '../run_change.ts';
import { ThemeButton } from '../theme_button.tsx';

const views = ['Overview', 'Flame graph'] as const;

/** `reports`: of the baseline and of the run. */
export function CompareFilePage({ change, reports }: { change: RunChange; reports: [Report, Report] }) {
  const hasSamples = reports.some(({ events }) => events.length > 0);
  // a link to a frame has the state of the flame graph
  const [view, setView] = useState<(typeof views)[number]>(hasSamples && location.hash.includes('executor=') ? 'Flame graph' : 'Overview');
  const [event, setEvent] = useState('cpu');
  return (
    <>
      <header class="page-header">
        <span class="brand">sparkprof</span>
        <h1>{change.after.name}</h1>
        <span class="facts">compared with a baseline</span>
        <ThemeButton />
      </header>
      {hasSamples && (
        <div class="tab-row">
          <nav class="tabs" aria-label="Views">
            {views.map((name) => (
              <button key={name} class="tab" aria-current={name === view ? 'page' : undefined} onClick={() => setView(name)}>
                {name}
              </button>
            ))}
          </nav>
        </div>
      )}
      <main>
        {view === 'Overview' ? (
          <ChangeView change={change} reports={reports} />
        ) : (
          <ComparedFlame
            reports={[reports[1], reports[0]]}
            names={[`${change.after.name} (${change.after.id})`, `baseline (${change.before.id})`]}
            event={event}
            choose={setEvent}
          />
        )}
      </main>
    </>
  );
}
