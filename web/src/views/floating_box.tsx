// SPDX-License-Identifier: Apache-2.0
import type { ComponentChildren } from 'preact';
import { useLayoutEffect, useRef } from 'preact/hooks';

/** A tooltip next to the pointer, inside the window. */
export function FloatingBox({ x, y, children }: { x: number; y: number; children: ComponentChildren }) {
  const box = useRef<HTMLDivElement>(null);
  useLayoutEffect(() => {
    const element = box.current!;
    const { width, height } = element.getBoundingClientRect();
    const left = x + 14 + width > window.innerWidth ? x - width - 10 : x + 14;
    const top = y + 16 + height > window.innerHeight ? y - height - 10 : y + 16;
    element.style.left = `${Math.max(4, left)}px`;
    element.style.top = `${Math.max(4, top)}px`;
  });
  return (
    <div class="tooltip" ref={box} role="tooltip">
      {children}
    </div>
  );
}
