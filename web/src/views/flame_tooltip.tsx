// SPDX-License-Identifier: Apache-2.0
import { useLayoutEffect, useRef } from 'preact/hooks';
import type { Picture } from '../state/flame.ts';
import { useStore } from '../state/store.ts';
import { frameName, frameNumbers } from './flame_numbers.ts';

export interface TooltipPlace { row: number; x: number; y: number }

export function FlameTooltip({ picture, place }: { picture: Picture; place: TooltipPlace }) {
  const store = useStore();
  const box = useRef<HTMLDivElement>(null);
  useLayoutEffect(() => {
    const element = box.current!;
    const { width, height } = element.getBoundingClientRect();
    const left = place.x + 14 + width > window.innerWidth ? place.x - width - 10 : place.x + 14;
    const top = place.y + 16 + height > window.innerHeight ? place.y - height - 10 : place.y + 16;
    element.style.left = `${Math.max(4, left)}px`;
    element.style.top = `${Math.max(4, top)}px`;
  });
  if (place.row >= picture.layout.count) return null;
  return (
    <div class="tooltip" ref={box} role="tooltip">
      <b>{frameName(store, picture, place.row)}</b>
      <dl>
        {frameNumbers(store, picture, place.row).map(({ label, value }) => (
          <div key={label}><dt>{label}</dt><dd>{value}</dd></div>
        ))}
      </dl>
    </div>
  );
}
