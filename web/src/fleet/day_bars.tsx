// SPDX-License-Identifier: Apache-2.0
// A bar for each day: what was held and, in it, what did no work. A click selects the day, as does the table by day.
import { QueryLink } from '../server/query_link.tsx';
import { plural } from '../views/text.ts';
import { datedDays, dayText, measureName, wastedOf } from './numbers.ts';
import type { Measure, Total } from './totals.ts';

interface Properties {
  /** in order, without days that have no application */
  days: [number, Total][];
  measure: Measure;
  currency: string;
  format(value: number): string;
}

/** The year where it is new. */
const shortDay = (day: number, at: number, days: number[]) =>
  at === 0 || dayText(day).slice(0, 4) !== dayText(days[at - 1]!).slice(0, 4) ? dayText(day) : dayText(day).slice(5);

export function DayBars({ days, measure, currency, format }: Properties) {
  const first = days[0]![0];
  const count = days.at(-1)![0] - first + 1;
  const most = days.reduce((largest, [, total]) => Math.max(largest, total[measure]), 0) || 1;
  const left = (day: number) => `${(100 * (day - first)) / count}%`;
  const part = (value: number) => `${(100 * value) / most}%`;
  const name = measureName(measure, currency);
  return (
    <section>
      <h2>By day</h2>
      <p class="legend">
        <span>
          <i class="held" /> {name}
        </span>
        <span>
          <i class="wasted" /> of it without work
        </span>
      </p>
      <div class="day-bars" role="group" aria-label={`${name} by day, at most ${format(most)}`}>
        {[0, 0.5, 1].map((at) => (
          <span key={at} class="day-level" style={{ bottom: part(at * most) }}>
            {format(at * most)}
          </span>
        ))}
        <div class="day-area">
          {days.map(([day, total]) => (
            <span key={day} class="day-bar" style={{ left: left(day), width: `${100 / count}%` }}>
              <QueryLink
                change={{ from: dayText(day), to: dayText(day) }}
                tabIndex={-1}
                title={`${dayText(day)}: ${format(total[measure])} ${name}, ${format(wastedOf(total, measure))} of it without work; ${plural(total.applications, 'application')}`}>
                <i class="held" style={{ height: part(total[measure]) }} />
                <i class="wasted" style={{ height: part(wastedOf(total, measure)) }} />
              </QueryLink>
            </span>
          ))}
        </div>
        <div class="day-axis">
          {datedDays(first, first + count - 1).map((day, at, all) => (
            <span key={day} style={{ left: left(day) }}>
              {shortDay(day, at, all)}
            </span>
          ))}
        </div>
      </div>
    </section>
  );
}
