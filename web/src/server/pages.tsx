// SPDX-License-Identifier: Apache-2.0
// The path of a page and what it shows. A new page is a file and a line here or in late_pages.tsx; the server has the same paths.
import type { VNode } from 'preact';
import { ApplicationPage } from './application_page.tsx';
import { ApplicationsPage } from './applications_page.tsx';
import { Missing, TopBar } from './chrome.tsx';
import { GroupPage } from './group_page.tsx';
import { GroupsPage } from './groups_page.tsx';
import { linkTo } from './links.ts';
import { LoginPage } from './login_page.tsx';

type Page = [path: RegExp, show: (captured: string) => VNode];

const pages: Page[] = [
  [/^\/$/, () => <ApplicationsPage />],
  [/^\/applications\/([^/]+)$/, (id) => <ApplicationPage id={id} />],
  [/^\/groups$/, () => <GroupsPage />],
  [/^\/groups\/([^/]+)$/, (group) => <GroupPage group={group} />],
  [/^\/login$/, () => <LoginPage />],
];

/** The page of a path, from the pages of a list; null for none of them. */
export function pageFrom(list: Page[], path: string): VNode | null {
  for (const [pattern, page] of list) {
    const match = pattern.exec(path);
    if (match) return page(decoded(match[1] ?? ''));
  }
  return null;
}

export const pageOf = (path: string): VNode | null => pageFrom(pages, path);

export function NotFound({ path }: { path: string }) {
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
