// SPDX-License-Identifier: Apache-2.0
import { useMemo } from 'preact/hooks';
import { amount, exact, share } from '../../state/format.ts';
import { usePart, useStore } from '../../state/store.ts';
import { DataTable, type Column } from '../data_table.tsx';
import { sideTitles } from '../sides.ts';
import { FunctionName } from './function_name.tsx';

/** Functions with self and total; with two sides also the difference of their shares. */
export function FlameTable() {
  const store = useStore();
  const sides = store.functionSums.value;
  const { sums } = store.flame.value;
  const { matches } = store.search.value;
  const unit = store.event.value?.unit ?? 'count';
  const names = store.labelNames;
  const compared = sides.length === 2;
  const titles = sideTitles(store);
  const rows = useMemo(() => {
    const found: number[] = [];
    const [a, b] = sides;
    for (let label = 0; label < names.length; label++) {
      if (!a!.total[label] && !b?.total[label]) continue;
      if (matches && !matches[label]) continue;
      found.push(label);
    }
    return found;
  }, [sides, matches, names]);
  const columns = useMemo<Column[]>(() => {
    const part = (side: number, key: 'self' | 'total', label: number) => sides[side]![key][label]! / (sums[side] || 1);
    const name: Column = {
      id: 'name',
      label: 'Function',
      text: true,
      value: (label) => names[label]!,
      show: (label) => <FunctionName name={names[label]!} />,
      title: (label) => names[label]!,
    };
    const weight = (id: 'self' | 'total', title: string): Column => ({
      id,
      label: title,
      width: '122px',
      value: (label) => sides[0]![id][label]!,
      title: (label) => exact(sides[0]![id][label]!, unit),
      show: (label) => (
        <span class="cell-bar">
          <i style={{ width: `${(100 * part(0, id, label)).toFixed(2)}%` }} />
          <span>{sides[0]![id][label]! > 0 && amount(sides[0]![id][label]!, unit)}</span>
          <span class="cell-share">{share(part(0, id, label))}</span>
        </span>
      ),
    });
    if (!compared) {
      return [name, weight('self', 'Self'), weight('total', 'Total')];
    }
    const points = (key: 'self' | 'total') => (label: number) => part(0, key, label) - part(1, key, label);
    const signed = (value: number) => `${value > 0 ? '+' : ''}${(value * 100).toFixed(1)}`;
    return [
      name,
      {
        id: 'a',
        label: titles[0],
        hint: 'Share of the total',
        width: '66px',
        value: (label) => part(0, 'total', label),
        show: (label) => share(part(0, 'total', label)),
      },
      {
        id: 'b',
        label: titles[1],
        hint: 'Share of the total',
        width: '66px',
        value: (label) => part(1, 'total', label),
        show: (label) => share(part(1, 'total', label)),
      },
      {
        id: 'selfChange',
        label: 'Δ self',
        hint: 'Difference of the self shares, in percentage points',
        width: '72px',
        value: (label) => Math.abs(points('self')(label)),
        show: (label) => signed(points('self')(label)),
      },
      {
        id: 'totalChange',
        label: 'Δ total',
        hint: 'Difference of the total shares, in percentage points',
        width: '78px',
        value: (label) => Math.abs(points('total')(label)),
        show: (label) => signed(points('total')(label)),
      },
    ];
  }, [sides, sums, unit, names, compared]);
  const [picked, setPicked] = usePart('function');
  return (
    <section class="flame-table" aria-label="Functions">
      <DataTable
        key={compared ? 'compared' : 'one'}
        label="Functions"
        columns={columns}
        rows={rows}
        sort={compared ? 'totalChange' : 'self'}
        tools
        pick={(label) => setPicked(picked === names[label] ? '' : names[label]!)}
        isSelected={(label) => picked === names[label]}
      />
    </section>
  );
}
