// SPDX-License-Identifier: Apache-2.0
// The cost in core-hours and what it was paid for, as one stacked bar with a list under it; parts with a selection are links.
import { phaseColor, phaseOfCoreTime } from '../charts/phase_colors.ts';
import { duration, exact, share } from '../state/format.ts';
import { useStore } from '../state/store.ts';

const hour = 3600e9;

/** "1.4 core-hours"; small jobs in core-seconds */
export function coreHours(ns: number): string {
  if (ns < 0.1 * hour) return `${(ns / 1e9).toFixed(0)} core-seconds`;
  const hours = ns / hour;
  return `${hours >= 99.95 ? hours.toFixed(0) : hours.toFixed(1)} core-hours`;
}

export function CoreTime() {
  const store = useStore();
  const dark = store.dark.value;
  const parts = store.model.report.timeSpent.filter((part) => part.ns > 0);
  const sum = parts.reduce((total, part) => total + part.ns, 0) || 1;
  const color = (name: string) => phaseColor(phaseOfCoreTime(name), dark);
  return (
    <section class="core-time" aria-label="Core time">
      <h2>
        Cost{' '}
        <span class="quiet" title={exact(sum, 'ns')}>
          {coreHours(sum)}, cores × time
        </span>
      </h2>
      <div class="spent" role="img" aria-label={parts.map((part) => `${part.name} ${share(part.ns / sum)}`).join(', ')}>
        {parts.map((part) => (
          <i
            key={part.name}
            style={{ width: `${(100 * part.ns) / sum}%`, background: color(part.name) }}
            title={`${part.name}: ${duration(part.ns)}`}
          />
        ))}
      </div>
      <ul class="spent-list">
        {parts.map((part) => (
          <li key={part.name} title={`${exact(part.ns, 'ns')}${part.estimate ? ', an estimate' : ''}`}>
            <i style={{ background: color(part.name) }} />
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
