// SPDX-License-Identifier: Apache-2.0
// A row of a short list: a name, an amount, a share, and a bar below them.
import type { ComponentChildren } from 'preact';
import { share } from '../state/format.ts';
import { PageLink } from './view_link.tsx';

interface Properties {
  amount: string;
  part: number;
  /** of the longest row */
  length: number;
  color: string;
  title: string;
  tag?: string | false;
  href: string;
  go(): void;
  children: ComponentChildren;
}

export function RowBar({ amount, part, length, color, title, tag, href, go, children }: Properties) {
  return (
    <li>
      <PageLink class="row-button" title={title} href={href} go={go}>
        <span class="row-name">{children}</span>
        {tag && <span class="tag">{tag}</span>}
        <span class="row-amount">{amount}</span>
        <span class="row-share">{share(part)}</span>
        <i class="row-bar" aria-hidden="true" style={{ width: `${100 * length}%`, background: color }} />
      </PageLink>
    </li>
  );
}
