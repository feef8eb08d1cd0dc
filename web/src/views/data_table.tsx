// SPDX-License-Identifier: Apache-2.0
// A sortable table that draws only the rows in sight. Rows are numbers; what they mean is the caller's.
import type { ComponentChildren } from 'preact';
import { useEffect, useMemo, useRef, useState } from 'preact/hooks';

export interface Column {
  id: string;
  label: string;
  /** explains the column on hover */
  hint?: string;
  /** sort key; numbers are right-aligned */
  value(row: number): number | string;
  show?(row: number): ComponentChildren;
  title?(row: number): string;
  /** "84px"; without one the column shares what is left, at least `flexibleWidth` */
  width?: string;
  text?: boolean;
}

interface Properties {
  label: string;
  columns: Column[];
  rows: number[];
  sort: string;
  ascending?: boolean;
  /** pixels; the table scrolls inside beyond it. Without it, it fills its parent. */
  maxHeight?: number;
  isSelected?(row: number): boolean;
  pick?(row: number): void;
}

const rowHeight = 24;
const spare = 8;
const flexibleWidth = 150;

export function DataTable({ label, columns, rows, sort, ascending = false, maxHeight, isSelected, pick }: Properties) {
  const [order, setOrder] = useState({ id: sort, ascending });
  const [window_, setWindow] = useState({ first: 0, last: 60 });
  const scroller = useRef<HTMLDivElement>(null);
  const by = columns.find((column) => column.id === order.id) ?? columns[0]!;
  const sorted = useMemo(() => {
    const keys = new Map(rows.map((row) => [row, by.value(row)]));
    const direction = order.ascending ? 1 : -1;
    return [...rows].sort((a, b) => {
      const x = keys.get(a)!;
      const y = keys.get(b)!;
      const difference = typeof x === 'string' || typeof y === 'string' ? String(x).localeCompare(String(y)) : x - y;
      return direction * difference || a - b;
    });
  }, [rows, by.id, columns, order.ascending]);
  const look = () => {
    const element = scroller.current;
    // the table may have been removed meanwhile
    if (!element) return;
    const first = Math.max(0, Math.floor(element.scrollTop / rowHeight) - spare);
    const last = Math.ceil((element.scrollTop + element.clientHeight) / rowHeight) + spare;
    setWindow((before) => (before.first === first && before.last === last ? before : { first, last }));
  };
  useEffect(() => {
    look();
    const observer = new ResizeObserver(look);
    if (scroller.current) observer.observe(scroller.current);
    return () => observer.disconnect();
  }, [sorted.length]);
  const last = Math.min(sorted.length, window_.last);
  const first = Math.min(window_.first, last);
  const choose = (column: Column) => setOrder((before) => (before.id === column.id
    ? { id: column.id, ascending: !before.ascending } : { id: column.id, ascending: !!column.text }));
  // below this the table scrolls sideways inside its box
  const narrowest = columns.reduce((sum, { width }) => sum + (width ? parseFloat(width) : flexibleWidth), 0);
  const onKey = (event: KeyboardEvent) => {
    const target = event.target as HTMLElement;
    if (target.tagName !== 'TR') return;
    const step = event.key === 'ArrowDown' ? target.nextElementSibling : event.key === 'ArrowUp' ? target.previousElementSibling : null;
    if (step instanceof HTMLElement && step.tabIndex >= 0) {
      step.focus();
      event.preventDefault();
    } else if (event.key === 'Enter' && pick) {
      pick(Number(target.dataset.row));
      event.preventDefault();
    }
  };
  return (
    <div class="table-scroll" ref={scroller} onScroll={look} style={{ maxHeight: maxHeight && `${maxHeight}px` }}>
      <table aria-label={label} style={{ minWidth: `${narrowest}px` }} aria-rowcount={sorted.length + 1} onKeyDown={onKey}>
        <colgroup>{columns.map((column) => <col key={column.id} style={{ width: column.width }} />)}</colgroup>
        <thead>
          <tr>
            {columns.map((column) => (
              <th key={column.id} scope="col" class={column.text ? 'text' : 'number'}
                aria-sort={column.id === order.id ? (order.ascending ? 'ascending' : 'descending') : 'none'}>
                <button title={column.hint ?? `Sort by ${column.label}`} onClick={() => choose(column)}>
                  {column.label}<span class="arrow">{column.id === order.id ? (order.ascending ? ' ↑' : ' ↓') : ''}</span>
                </button>
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {first > 0 && <tr aria-hidden="true"><td class="filler" colSpan={columns.length} style={{ height: `${first * rowHeight}px` }} /></tr>}
          {sorted.slice(first, last).map((row, i) => (
            <tr key={row} data-row={row} tabIndex={pick ? 0 : undefined} aria-rowindex={first + i + 2}
              class={pick ? 'pickable' : ''} aria-selected={isSelected?.(row)} onClick={pick && (() => pick(row))}>
              {columns.map((column) => (
                <td key={column.id} class={column.text ? 'text' : 'number'} title={column.title?.(row)}>
                  {column.show ? column.show(row) : column.value(row)}
                </td>
              ))}
            </tr>
          ))}
          {last < sorted.length && (
            <tr aria-hidden="true"><td class="filler" colSpan={columns.length} style={{ height: `${(sorted.length - last) * rowHeight}px` }} /></tr>
          )}
        </tbody>
      </table>
    </div>
  );
}
