// SPDX-License-Identifier: Apache-2.0
import type { RefObject } from 'preact';
import { useStore } from '../../state/store.ts';

const lowest = 120;
/** Charts of less than this height, px, show running tasks only. */
export const isCompact = (height: number) => height < lowest;
const step = 40;
/** of the window: what stays for the tab */
const tallestShare = 0.5;
export const tallest = () => Math.round(window.innerHeight * tallestShare);

/** The lower edge of the timeline. Dragged, by arrow keys or by a double click it opens the charts to lanes and curves. */
export function TimelineEdge({ charts }: { charts: RefObject<HTMLDivElement | null> }) {
  const store = useStore();
  const { timelineHeight } = store.view.value;
  const compact = isCompact(timelineHeight);
  const resize = (height: number) => store.update({ timelineHeight: isCompact(height) ? 0 : Math.min(height, tallest()) });
  const shown = () => charts.current!.clientHeight;
  const toggle = () => resize(compact ? tallest() : 0);
  const onKey = (event: KeyboardEvent) => {
    if (event.key === 'ArrowDown') resize(Math.max(lowest, shown() + step));
    else if (event.key === 'ArrowUp') resize(shown() - step);
    else if (event.key === 'Home') resize(0);
    else if (event.key === 'End') resize(tallest());
    else if (event.key === 'Enter' || event.key === ' ') toggle();
    else return;
    event.preventDefault();
  };
  const drag = (event: PointerEvent) => {
    const edge = event.currentTarget as HTMLElement;
    const above = charts.current!.getBoundingClientRect().top;
    const move = (moved: PointerEvent) => resize(moved.clientY - above);
    edge.setPointerCapture(event.pointerId);
    edge.addEventListener('pointermove', move);
    edge.addEventListener('lostpointercapture', () => edge.removeEventListener('pointermove', move), { once: true });
    event.preventDefault();
    edge.focus();
  };
  return (
    <div
      class="timeline-edge"
      role="separator"
      aria-orientation="horizontal"
      aria-label="Height of the timeline"
      tabIndex={0}
      aria-valuemin={0}
      aria-valuemax={tallest()}
      aria-valuenow={timelineHeight}
      title={compact ? 'Drag or double-click: executors and metrics' : 'Drag to resize, double-click: compact'}
      onKeyDown={onKey}
      onPointerDown={drag}
      onDblClick={toggle}
    />
  );
}
