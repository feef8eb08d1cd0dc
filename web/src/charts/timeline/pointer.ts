// SPDX-License-Identifier: Apache-2.0
// Pointer gestures on a time axis: drag chooses a range, wheel zooms, double click resets. Shared by lanes and curves.

export interface TimeWindow {
  from: number;
  to: number;
}

export interface TimeEvents {
  /** a range was dragged; null: the choice is undone */
  range(range: TimeWindow | null): void;
  /** zoom the axis; null: everything */
  window(window: TimeWindow | null): void;
  /** a click: what happened then? */
  moment(time: number): void;
}

/** Narrower than this is a click. */
export const shortestDrag = 4;

export function zoomed(window: TimeWindow, at: number, factor: number, whole: number): TimeWindow | null {
  const span = Math.max(1, (window.to - window.from) * factor);
  if (span >= whole) return null;
  const share = (at - window.from) / (window.to - window.from);
  const from = Math.min(Math.max(0, at - share * span), whole - span);
  return { from, to: from + span };
}

/** The window after a turn of the wheel at a time; undefined: with shift or sideways the page scrolls as usual. */
export function zoomedByWheel(event: WheelEvent, window: TimeWindow, at: number, whole: number): TimeWindow | null | undefined {
  if (event.shiftKey || Math.abs(event.deltaX) > Math.abs(event.deltaY)) return undefined;
  event.preventDefault();
  return zoomed(window, at, event.deltaY > 0 ? 1.25 : 0.8, whole);
}

/** `timeAt` turns a client x into ms. `dragging` is told of an unfinished range, null when there is none any more. */
export function followPointer(
  element: HTMLElement,
  signal: AbortSignal,
  timeAt: (clientX: number) => number,
  current: () => { window: TimeWindow; whole: number },
  events: TimeEvents,
  dragging: (range: TimeWindow | null) => void,
  click: (event: MouseEvent) => void,
): void {
  let start: { x: number; time: number } | null = null;
  const rangeTo = (event: PointerEvent): TimeWindow => {
    const time = timeAt(event.clientX);
    return { from: Math.max(0, Math.min(start!.time, time)), to: Math.min(current().whole, Math.max(start!.time, time)) };
  };
  element.addEventListener(
    'pointerdown',
    (event) => {
      if (event.button !== 0) return;
      start = { x: event.clientX, time: timeAt(event.clientX) };
      element.setPointerCapture(event.pointerId);
    },
    { signal },
  );
  element.addEventListener(
    'pointermove',
    (event) => {
      if (start && Math.abs(event.clientX - start.x) >= shortestDrag) dragging(rangeTo(event));
    },
    { signal },
  );
  element.addEventListener(
    'pointerup',
    (event) => {
      if (!start) return;
      const far = Math.abs(event.clientX - start.x) >= shortestDrag;
      const range = rangeTo(event);
      start = null;
      dragging(null);
      if (far) events.range(range);
      else click(event);
    },
    { signal },
  );
  element.addEventListener(
    'pointercancel',
    () => {
      start = null;
      dragging(null);
    },
    { signal },
  );
  element.addEventListener(
    'dblclick',
    () => {
      events.range(null);
      events.window(null);
    },
    { signal },
  );
  element.addEventListener(
    'wheel',
    (event) => {
      const { window, whole } = current();
      const after = zoomedByWheel(event, window, timeAt(event.clientX), whole);
      if (after !== undefined) events.window(after);
    },
    { signal, passive: false },
  );
}
