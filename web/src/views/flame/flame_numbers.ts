// SPDX-License-Identifier: Apache-2.0
// The numbers of a frame in the tooltip, the tree and the details.
import { changeOf, isNoise, type Picture } from '../../state/flame.ts';
import { amount, clocks, exact, share } from '../../state/format.ts';
import type { Store } from '../../state/store.ts';
import { sideTitles } from '../sides.ts';
import { labelName } from './flame_path.tsx';

export interface FrameNumber {
  label: string;
  value: string;
  exact: string;
}

export function frameName(store: Store, picture: Picture, row: number): string {
  return labelName(store.labelNames, picture.layout.label[row]!);
}

export function frameNumbers(store: Store, picture: Picture, row: number): FrameNumber[] {
  const unit = store.event.value?.unit ?? 'count';
  const flame = store.flame.value;
  const { sums } = flame;
  const { layout, self, total } = picture;
  const node = layout.node[row]!;
  const parent = layout.parent[row]!;
  const numbers: FrameNumber[] = [];
  if (layout.byTime)
    numbers.push({
      label: 'time',
      value: clocks(layout.start[row]!, layout.start[row]! + layout.total[row]!),
      exact: store.dateAt(layout.start[row]!),
    });
  total.forEach((side, i) => {
    const of = total.length === 1 ? '' : `, ${sideTitles(store)[i]!.toLowerCase()}`;
    const value = side[node]!;
    numbers.push({ label: `total${of}`, value: `${amount(value, unit)}  ${share(value / (sums[i] || 1))}`, exact: exact(value, unit) });
    numbers.push({
      label: `self${of}`,
      value: `${amount(self[i]![node]!, unit)}  ${share(self[i]![node]! / (sums[i] || 1))}`,
      exact: exact(self[i]![node]!, unit),
    });
    if (total.length === 1 && parent > 0) {
      numbers.push({ label: 'of its parent', value: share(value / (side[layout.node[parent]!]! || 1)), exact: '' });
    }
  });
  if (total.length === 2) {
    const { absolute } = store.view.value;
    const difference = absolute
      ? amount(total[0]![node]! - total[1]![node]!, unit)
      : `${((total[0]![node]! / (sums[0] || 1) - total[1]![node]! / (sums[1] || 1)) * 100).toFixed(1)} points`;
    const [a, b] = [total[0]![node]!, total[1]![node]!];
    numbers.push({ label: 'change', value: `${changeOf(a, b, flame, absolute) > 0 ? '+' : ''}${difference}`, exact: '' });
    if (isNoise(a, b, flame, absolute)) numbers.push({ label: 'significance', value: 'within the noise of sampling', exact: '' });
  }
  return numbers;
}
