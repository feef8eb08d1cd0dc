// SPDX-License-Identifier: Apache-2.0
// The cost of many applications: the page of `sparkprof fleet report`, with links to the applications.
import { useMemo } from 'preact/hooks';
import { api, getJson } from '../server/api.ts';
import { linkTo, Problem, TopBar } from '../server/chrome.tsx';
import { usePolled } from '../server/poll.ts';
import { count } from '../state/format.ts';
import type { FleetData } from './contract.ts';
import { FleetContent } from './fleet_page.tsx';
import { Fleet } from './totals.ts';

export function FleetServerPage() {
  const { value, error, updated } = usePolled<FleetData>(
    'fleet',
    (signal) => getJson(api('/fleet', {}), signal),
    () => false,
  );
  const fleet = useMemo(() => value && new Fleet(value), [value]);
  const facts = fleet ? `${count(fleet.size)} applications · ${count(fleet.data.failed)} logs failed` : undefined;
  return (
    <>
      <TopBar title="Fleet" facts={facts} keys={[['?', 'this help']]} />
      <Problem error={error} updated={updated} />
      {!value && !error && <p class="loading">Loading…</p>}
      {fleet && <FleetContent fleet={fleet} linkTo={linkTo.application} />}
    </>
  );
}
