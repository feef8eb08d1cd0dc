// SPDX-License-Identifier: Apache-2.0
// A row of a short list: a name, an amount, a share, and a bar below them.
import type { ComponentChildren } from 'preact';
import { share } from '../state/format.ts';

interface Properties {
  amount: string;
  part: number;
  /** of the longest row */
  length: number;
  color: string;
  title: string;
  tag?: string | false;
  pick(): void;
  children: ComponentChildren;
}

export function RowBar({ amount, part, length, color, title, tag, pick, children }: Properties) {
  return (
    <li>
      <button class="row-button" title={title} onClick={pick}>
        <span class="row-name">{children}</span>
        {tag && <span class="tag">{tag}</span>}
        <span class="row-amount">{amount}</span>
        <span class="row-share">{share(part)}</span>
        <i class="row-bar" aria-hidden="true" style={{ width: `${100 * length}%`, background: color }} />
      </button>
    </li>
  );
}
