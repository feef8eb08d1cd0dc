// SPDX-License-Identifier: Apache-2.0
import type { ComponentChildren } from 'preact';
import { isElsewhere } from '../views/view_link.tsx';
import { changed, pathWith, query, setQuery, type Change } from './query.ts';

interface Properties {
  /** of the address's parameters */
  change: Change;
  class?: string;
  title?: string;
  current?: boolean;
  /** `next` for the page that follows in a list */
  rel?: string;
  /** -1 where the keyboard has another way */
  tabIndex?: number;
  /** after the change of the address in this tab */
  then?(): void;
  children: ComponentChildren;
}

/** A link to the same page with other parameters, which a plain click follows without loading the page again. */
export function QueryLink({ change, class: name, title, current, rel, tabIndex, then, children }: Properties) {
  return (
    <a
      class={name}
      title={title}
      rel={rel}
      tabIndex={tabIndex}
      href={pathWith(location.pathname, changed(query.value, change))}
      aria-current={current ? 'page' : undefined}
      onClick={(event) => {
        if (isElsewhere(event)) return;
        event.preventDefault();
        setQuery(change, true);
        then?.();
      }}>
      {children}
    </a>
  );
}
