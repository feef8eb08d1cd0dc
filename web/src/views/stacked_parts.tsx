// SPDX-License-Identifier: Apache-2.0
// Parts of a whole as one stacked bar with a list under it; parts with a selection are links.
import type { Selection } from '../data/contract.ts';
import { duration, exact, share } from '../state/format.ts';
import { SelectionLink } from './view_link.tsx';

export interface Part {
  name: string;
  ns: number;
  /** of the sum, rounded so that shares add up; absent: that of `ns` */
  share?: number;
  color: string;
  estimate?: boolean;
  selection?: Selection | null;
}

export function StackedParts({ parts, sum }: { parts: Part[]; sum: number }) {
  const shareOf = (part: Part) => share(part.share || part.ns / sum);
  return (
    <>
      <div class="spent" role="img" aria-label={parts.map((part) => `${part.name} ${shareOf(part)}`).join(', ')}>
        {parts.map((part) => (
          <i
            key={part.name}
            style={{ width: `${(100 * part.ns) / sum}%`, background: part.color }}
            title={`${part.name}: ${duration(part.ns)}`}
          />
        ))}
      </div>
      <ul class="spent-list">
        {parts.map((part) => (
          <li key={part.name} title={`${exact(part.ns, 'ns')}${part.estimate ? ', an estimate' : ''}`}>
            <i style={{ background: part.color }} />
            {part.selection ? <SelectionLink selection={part.selection}>{part.name}</SelectionLink> : <span>{part.name}</span>}
            <span class="spent-time">
              {part.estimate && 'about '}
              {duration(part.ns)}
            </span>
            <span class="quiet">{shareOf(part)}</span>
          </li>
        ))}
      </ul>
    </>
  );
}
