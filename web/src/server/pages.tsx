// SPDX-License-Identifier: Apache-2.0
// The path of a page and what it shows. A new page is a file and a line here; the server has the same paths.
import type { VNode } from 'preact';
import { ApplicationPage } from './application_page.tsx';
import { ApplicationsPage } from './applications_page.tsx';
import { Missing, TopBar } from './chrome.tsx';
import { ComparePage } from './compare/compare_page.tsx';
import { GroupPage } from './group_page.tsx';
import { GroupsPage } from './groups_page.tsx';
import { InfrastructurePage } from './infrastructure_page.tsx';
import { linkTo } from './links.ts';
import { LoginPage } from './login_page.tsx';
import { LongevityPage } from './longevity_page.tsx';
import { RunPage } from './run_page.tsx';
import { RunsPage } from './runs_page.tsx';

const pages: [RegExp, (captured: string) => VNode][] = [
  [/^\/$/, () => <ApplicationsPage />],
  [/^\/applications\/([^/]+)$/, (id) => <ApplicationPage id={id} />],
  [/^\/groups$/, () => <GroupsPage />],
  [/^\/groups\/([^/]+)$/, (group) => <GroupPage group={group} />],
  [/^\/compare$/, () => <ComparePage />],
  [/^\/runs$/, () => <RunsPage />],
  [/^\/runs\/([^/]+)$/, (id) => <RunPage id={id} />],
  [/^\/longevity$/, () => <LongevityPage />],
  [/^\/infrastructure$/, () => <InfrastructurePage />],
  [/^\/login$/, () => <LoginPage />],
];

export function pageOf(path: string): VNode {
  for (const [pattern, page] of pages) {
    const match = pattern.exec(path);
    if (match) return page(decoded(match[1] ?? ''));
  }
  return (
    <>
      <TopBar title="Not found" keys={[['?', 'this help']]} />
      <Missing error={new Error(`There is no page at ${path}.`)}>
        Go to the list of <a href={linkTo.applications}>applications</a>.
      </Missing>
    </>
  );
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
