// SPDX-License-Identifier: Apache-2.0
// Events of the run as a row of signs on its time axis; a sign selects its time.
import { useMemo, useState } from 'preact/hooks';
import { markKinds, marksOf, type MarkKind, type TimeMark } from '../../analysis/time/time_marks.ts';
import type { TimeWindow } from '../../charts/timeline/pointer.ts';
import { clock, clocks } from '../../state/format.ts';
import { useStore } from '../../state/store.ts';
import { timeEvents } from '../../state/time_axis.ts';
import { FloatingBox } from '../floating_box.tsx';
import { moveAlong } from '../move_along.ts';
import { useWidth } from '../use_width.ts';

const signs: Record<MarkKind, string> = { oom: 'OOM', lost: '×', gc: 'GC', removed: '−', broadcast: 'B', added: '+' };
/** px; marks that are closer are one sign */
const signWidth = 32;
const mostTexts = 6;
/** of the time in sight: around a moment, that much is selected */
const around = 0.01;

const severity = ({ kind }: TimeMark) => markKinds.indexOf(kind);

/** Nothing where nothing happened. */
export function TimeMarks({ axis }: { axis: TimeWindow }) {
  const { model } = useStore();
  const marks = useMemo(() => marksOf(model), [model]);
  return marks.length > 0 ? <Signs marks={marks} axis={axis} /> : null;
}

function Signs({ marks, axis }: { marks: TimeMark[]; axis: TimeWindow }) {
  const store = useStore();
  const { model } = store;
  const { host, width } = useWidth();
  const [hover, setHover] = useState<{ at: number; x: number; y: number } | null>(null);
  const span = axis.to - axis.from;
  const place = ({ begin }: TimeMark) => ((begin - axis.from) / span) * width;
  const signsShown: TimeMark[][] = [];
  for (const mark of marks.filter(({ begin, end }) => end >= axis.from && begin <= axis.to)) {
    const last = signsShown.at(-1);
    if (last && place(mark) - place(last[0]!) < signWidth) last.push(mark);
    else signsShown.push([mark]);
  }
  const shown = hover && signsShown[hover.at];
  const select = (own: TimeMark[]) => {
    const [begin, end] = [Math.min(...own.map((mark) => mark.begin)), Math.max(...own.map((mark) => mark.end))];
    const more = end - begin < around * span ? around * span : 0;
    timeEvents(store).range({ from: Math.max(0, begin - more), to: Math.min(model.duration, end + more) });
    timeEvents(store).moment(begin);
  };
  return (
    <div class="time-row">
      <span class="time-label">Events</span>
      <div class="time-marks" ref={host} role="toolbar" aria-label="Events; each selects its time" onKeyDown={moveAlong}>
        {signsShown.map((own, at) => {
          const worst = [...own].sort((a, b) => severity(a) - severity(b))[0]!;
          const box = (element: HTMLElement) => {
            const { left, bottom } = element.getBoundingClientRect();
            setHover({ at, x: left, y: bottom });
          };
          return (
            <button
              key={at}
              class={`time-mark ${worst.kind}`}
              style={{ left: `${Math.max(0, Math.min(width - signWidth, place(own[0]!)))}px` }}
              tabIndex={at === 0 ? 0 : -1}
              aria-label={`${textOf(worst)}${own.length > 1 ? ` and ${own.length - 1} more` : ''}`}
              onMouseEnter={(event) => box(event.currentTarget)}
              onMouseLeave={() => setHover(null)}
              onFocus={(event) => box(event.currentTarget)}
              onBlur={() => setHover(null)}
              onClick={() => select(own)}>
              {signs[worst.kind]}
            </button>
          );
        })}
      </div>
      {hover && shown && (
        <FloatingBox x={hover.x} y={hover.y}>
          {[...shown]
            .sort((a, b) => severity(a) - severity(b) || a.begin - b.begin)
            .slice(0, mostTexts)
            .map((mark, at) => (
              <div key={at}>{textOf(mark)}</div>
            ))}
          {shown.length > mostTexts && <div class="quiet">{shown.length - mostTexts} more</div>}
        </FloatingBox>
      )}
    </div>
  );
}

const textOf = ({ begin, end, text }: TimeMark) => `${end > begin ? clocks(begin, end) : clock(begin)}: ${text}`;
