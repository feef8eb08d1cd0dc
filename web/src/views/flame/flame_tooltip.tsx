// SPDX-License-Identifier: Apache-2.0
import type { Picture } from '../../state/flame.ts';
import { useStore } from '../../state/store.ts';
import { FloatingBox } from '../floating_box.tsx';
import { frameName, frameNumbers } from './flame_numbers.ts';

export interface TooltipPlace {
  row: number;
  x: number;
  y: number;
}

export function FlameTooltip({ picture, place }: { picture: Picture; place: TooltipPlace }) {
  const store = useStore();
  if (place.row >= picture.layout.count) return null;
  return (
    <FloatingBox x={place.x} y={place.y}>
      <b>{frameName(store, picture, place.row)}</b>
      <dl>
        {frameNumbers(store, picture, place.row).map(({ label, value }) => (
          <div key={label}>
            <dt>{label}</dt>
            <dd>{value}</dd>
          </div>
        ))}
      </dl>
    </FloatingBox>
  );
}
