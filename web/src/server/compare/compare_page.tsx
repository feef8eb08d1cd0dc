// SPDX-License-Identifier: Apache-2.0
// Two applications, or two time ranges of groups, next to each other.
import type { Report, Selection } from '../../data/contract.ts';
import { defaultView, toHash } from '../../state/view.ts';
import { api, getJson } from '../api.ts';
import { ChangeView } from './change_view.tsx';
import { Missing, Problem, TopBar } from '../chrome.tsx';
import { linkTo } from '../links.ts';
import { ComparedFlame } from './compared_flame.tsx';
import { ComparedRanges } from './compare_range.tsx';
import { ComparedSettings, tellingSettings } from './compare_settings.tsx';
import { ComparedStages } from './compare_stages.tsx';
import { ChooseSides } from './choose_sides.tsx';
import { loadSides, nameOf, sideOf, swapped, type Side } from './compare_sides.ts';
import type { Comparison } from '../contract.ts';
import { events, flameKeys } from '../flame_panel.tsx';
import { usePolled } from '../poll.ts';
import { pathWith, query, setQuery } from '../query.ts';
import { QueryLink } from '../query_link.tsx';
import type { ComparedRun } from '../run_change.ts';

const views = [
  { id: 'overview', label: 'Overview' },
  { id: 'flame', label: 'Flame graph' },
  { id: 'stages', label: 'Stages' },
  { id: 'settings', label: 'Settings' },
];

/** The page of a run, or a selection in it. */
function linkInto({ id }: ComparedRun, selection?: Selection): string {
  const tab = selection?.stage === undefined ? 'flame' : 'stages';
  return selection ? `${linkTo.application(id)}#${toHash({ ...defaultView, tab, selection })}` : linkTo.application(id);
}

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
  const event = parameters.get('event') ?? 'cpu';
  // an application's data have all events
  const both = usePolled(JSON.stringify([sides, areApplications ? '' : event]), (signal) => loadSides(sides, event, signal));
  const shown = areApplications ? views : views.filter(({ id }) => id === 'flame');
  const current = (shown.find(({ id }) => id === parameters.get('view')) ?? shown[0]!).id;
  const swap = pathWith('/compare', swapped(parameters));
  if (error && !value) {
    return (
      <>
        <TopBar title="Compare" keys={flameKeys} />
        <Missing error={error}>
          Choose <a href="/compare">other applications</a>, or go to the list of <a href={linkTo.applications}>applications</a>.
        </Missing>
      </>
    );
  }
  return (
    <>
      <TopBar title="Compare" facts={sides.map((side) => nameOf(side, Date.now())).join(' with ')} keys={flameKeys} />
      <Problem error={error} />
      {!areApplications && <ComparedRanges sides={sides} swap={swap} />}
      <div class="tabs">
        <nav aria-label="Views of the comparison">
          {shown.map(({ id, label }) => {
            const number = !value
              ? ''
              : id === 'stages'
                ? ` ${value.stages.length}`
                : id === 'settings'
                  ? ` ${tellingSettings(value.settings).length}`
                  : '';
            return (
              <QueryLink key={id} class="tab" change={{ view: id === shown[0]!.id ? null : id }} current={id === current}>
                {label}
                <span class="quiet">{number}</span>
              </QueryLink>
            );
          })}
          {areApplications && (
            <a class="tab" href={swap} title="Exchange the run and its baseline">
              ⇄ swap
            </a>
          )}
        </nav>
      </div>
      {current === 'overview' && (
        <main>
          {value && (
            <ChangeView
              change={value.change}
              reports={both.value && [both.value[1], both.value[0]]}
              open={(run, selection) => location.assign(linkInto(run, selection))}
              linkTo={linkInto}
            />
          )}
        </main>
      )}
      {current === 'flame' && <ComparedSamples sides={sides} reports={both.value} error={both.error} />}
      {current === 'stages' && value && <ComparedStages stages={value.stages} />}
      {current === 'settings' && value && <ComparedSettings settings={value.settings} />}
    </>
  );
}

function ComparedSamples({ sides, reports, error }: { sides: [Side, Side]; reports: [Report, Report] | null; error: Error | null }) {
  const event = query.value.get('event') ?? 'cpu';
  if (error && !reports) return <Problem error={error} />;
  return (
    <main>
      <Problem error={error} />
      <ComparedFlame
        reports={reports}
        names={[nameOf(sides[0], Date.now()), nameOf(sides[1], Date.now())]}
        event={event}
        choices={sides.some(({ kind }) => kind === 'group') ? events : undefined}
        choose={(name) => setQuery({ event: name === 'cpu' ? null : name })}
      />
    </main>
  );
}
