// SPDX-License-Identifier: Apache-2.0
// What the application waited for, as a waterfall: a row for each of the longest parts, placed by time.
import { barColor } from '../charts/timeline/palette.ts';
import type { WallPart } from '../data/contract.ts';
import { clock, duration, exact, share } from '../state/format.ts';
import { useStore } from '../state/store.ts';
import { LongName } from './long_name.tsx';

const shownParts = 8;

export function WallTime() {
  const store = useStore();
  const { report } = store.model;
  const whole = report.wallTime.reduce((sum, part) => sum + part.ns, 0) || 1;
  const shown = new Set([...report.wallTime].sort((a, b) => b.ns - a.ns).slice(0, shownParts));
  const rest = report.wallTime.filter((part) => !shown.has(part)).reduce((sum, part) => sum + part.ns, 0);
  return (
    <section aria-label="Wall time">
      <h2>
        Wall time <span class="quiet">what the application waited for</span>
      </h2>
      <ol class="waterfall">
        {report.wallTime
          .filter((part) => shown.has(part))
          .map((part, i) => (
            <Row key={i} part={part} whole={whole} />
          ))}
      </ol>
      {rest > 0 && (
        <p class="quiet">
          {duration(rest)} ({share(rest / whole)}) in shorter parts.
        </p>
      )}
    </section>
  );
}

/** A sum of several parts has no place in time: its bar begins on the left. */
function Row({ part, whole }: { part: WallPart; whole: number }) {
  const store = useStore();
  const { model } = store;
  const { selection, begin } = part;
  const stage =
    selection?.stage === undefined
      ? -1
      : model.report.stages.findIndex(({ id, attempt }) => id === selection.stage && attempt === selection.stageAttempt);
  const dark = store.dark.value;
  const left = ((begin ?? 0) * 1e6) / whole;
  return (
    <li>
      {selection ? (
        <button class="link" title={part.name} onClick={() => store.goTo(selection)}>
          <LongName text={part.name} />
        </button>
      ) : (
        <span class="waterfall-name" title={part.name}>
          <LongName text={part.name} />
        </span>
      )}
      <span
        class="waterfall-time"
        title={`${exact(part.ns, 'ns')}${begin === null ? ' in all' : ` from ${clock(begin)}, ${store.dateAt(begin)}`}`}>
        {duration(part.ns)} <span class="quiet">{share(part.ns / whole)}</span>
      </span>
      <span class="waterfall-bar" aria-hidden="true">
        <i
          style={{
            marginLeft: `${100 * left}%`,
            width: `${(100 * part.ns) / whole}%`,
            background: stage < 0 ? (dark ? '#5a636e' : '#aab2bd') : barColor(stage, dark),
          }}
        />
      </span>
    </li>
  );
}
