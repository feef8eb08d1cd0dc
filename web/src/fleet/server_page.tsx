// SPDX-License-Identifier: Apache-2.0
// The cost of many applications: the page of `sparkprof fleet report`, with links to the applications.
import { useEffect, useMemo, useState } from 'preact/hooks';
import { api, getJson } from '../server/api.ts';
import { Problem, TopBar } from '../server/chrome.tsx';
import { linkTo } from '../server/links.ts';
import { usePolled } from '../server/poll.ts';
import type { FleetData } from './contract.ts';
import { FleetContent } from './fleet_page.tsx';
import { factsOf } from './numbers.ts';
import { Fleet } from './totals.ts';
import style from '../style/fleet.css?inline';

// with this page's script, as only this page needs it
const sheet = new CSSStyleSheet();
sheet.replaceSync(style);
document.adoptedStyleSheets.push(sheet);

/** Answers of the server, by the ID that was asked for. */
const known = new Map<string, Promise<boolean>>();

async function isListed(id: string): Promise<boolean> {
  const { applications } = await getJson<{ applications: { id: string }[] }>(api('/applications', { search: id }));
  return applications.some((row) => row.id === id);
}

/** The analyzed logs need not be in the collector's folders: an application that it does not have is a text. */
function ApplicationLink({ id }: { id: string }) {
  const [listed, setListed] = useState(false);
  useEffect(() => {
    let answer = known.get(id);
    if (!answer) known.set(id, (answer = isListed(id).catch(() => false)));
    void answer.then(setListed);
  }, [id]);
  return listed ? <a href={linkTo.application(id)}>{id}</a> : id;
}

export function FleetServerPage() {
  const { value, error, updated } = usePolled<FleetData>(
    'fleet',
    (signal) => getJson(api('/fleet', {}), signal),
    () => false,
  );
  const fleet = useMemo(() => value && new Fleet(value), [value]);
  return (
    <>
      <TopBar title="Fleet" facts={fleet ? factsOf(fleet) : undefined} keys={[['?', 'this help']]} />
      <Problem error={error} updated={updated} />
      {!value && !error && <p class="loading">Loading…</p>}
      {fleet && <FleetContent fleet={fleet} linkTo={(id) => <ApplicationLink key={id} id={id} />} />}
    </>
  );
}
