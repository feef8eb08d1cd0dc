// SPDX-License-Identifier: Apache-2.0
// Parts of a whole as one stacked bar with a list under it; parts with a selection are links.
import type { Selection } from '../data/contract.ts';
import { duration, exact, share } from '../state/format.ts';
import { useStore } from '../state/store.ts';

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
  const store = useStore();
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
            {part.selection ? (
              <button class="link" onClick={() => store.goTo(part.selection!)}>
                {part.name}
              </button>
            ) : (
              <span>{part.name}</span>
            )}
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
