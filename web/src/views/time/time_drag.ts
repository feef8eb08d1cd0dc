// SPDX-License-Identifier: Apache-2.0
// A drag over an element that is as wide as a part of the time selects a range; its buttons still take clicks.
import { useRef, useState } from 'preact/hooks';
import { shortestDrag, zoomedByWheel, type TimeWindow } from '../../charts/timeline/pointer.ts';
import { useStore } from '../../state/store.ts';
import { timeEvents } from '../../state/time_axis.ts';

/** Handlers of the element; `dragged`: the unfinished range. */
export function useTimeDrag(axis: TimeWindow) {
  const store = useStore();
  const [dragged, setDragged] = useState<TimeWindow | null>(null);
  const start = useRef<{ x: number; time: number } | null>(null);
  const timeAt = (event: MouseEvent) => {
    const { left, width } = (event.currentTarget as HTMLElement).getBoundingClientRect();
    return axis.from + Math.max(0, Math.min(1, (event.clientX - left) / width)) * (axis.to - axis.from);
  };
  const end = () => {
    start.current = null;
    setDragged(null);
  };
  return {
    dragged,
    onPointerDown: (event: PointerEvent) => {
      if (event.button === 0) start.current = { x: event.clientX, time: timeAt(event) };
    },
    onPointerMove: (event: PointerEvent) => {
      if (!start.current || (!dragged && Math.abs(event.clientX - start.current.x) < shortestDrag)) return;
      // the button below gets no click any more
      (event.currentTarget as HTMLElement).setPointerCapture(event.pointerId);
      const time = timeAt(event);
      setDragged({ from: Math.min(start.current.time, time), to: Math.max(start.current.time, time) });
    },
    onPointerUp: () => {
      if (dragged) timeEvents(store).range(dragged);
      end();
    },
    onPointerCancel: end,
    onWheel: (event: WheelEvent) => {
      const window = zoomedByWheel(event, axis, timeAt(event), store.model.duration);
      if (window !== undefined) timeEvents(store).window(window);
    },
    onDblClick: () => {
      timeEvents(store).range(null);
      timeEvents(store).window(null);
    },
  };
}
