// SPDX-License-Identifier: Apache-2.0
// Where the time went, as one stacked bar with a list under it; parts with a selection are links.
import { duration, exact, share } from '../state/format.ts';
import { barColor } from '../charts/timeline/palette.ts';
import { useStore } from '../state/store.ts';

export function TimeSpentBar() {
  const store = useStore();
  const dark = store.dark.value;
  const parts = store.model.report.timeSpent.filter((part) => part.ns > 0);
  const sum = parts.reduce((total, part) => total + part.ns, 0) || 1;
  const color = (index: number, name: string) => (/idle/i.test(name) ? (dark ? '#3b424b' : '#d3d8df') : barColor(index, dark));
  return (
    <section aria-label="Core time">
      <h2>
        Core time <span class="quiet">where the cores’ time went</span>
      </h2>
      <div class="spent" role="img" aria-label={parts.map((part) => `${part.name} ${share(part.ns / sum)}`).join(', ')}>
        {parts.map((part, i) => (
          <i
            key={part.name}
            style={{ width: `${(100 * part.ns) / sum}%`, background: color(i, part.name) }}
            title={`${part.name}: ${duration(part.ns)}`}>
            {part.ns / sum > 0.07 && <span>{part.name}</span>}
          </i>
        ))}
      </div>
      <ul class="spent-list">
        {parts.map((part, i) => (
          <li key={part.name} title={`${exact(part.ns, 'ns')}${part.estimate ? ', an estimate' : ''}`}>
            <i style={{ background: color(i, part.name) }} />
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
            <span class="quiet">{share(part.ns / sum)}</span>
          </li>
        ))}
      </ul>
    </section>
  );
}
