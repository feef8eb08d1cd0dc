// SPDX-License-Identifier: Apache-2.0
// A sortable table that draws only the rows in sight. Rows are numbers; what they mean is the caller's. The sort order
// is in the URL. The first cell of a row that leads somewhere is a link or a button, and a click beside it counts for it. One of
// them is a tab stop; arrow keys move it.
import type { ComponentChildren } from 'preact';
import { useEffect, useLayoutEffect, useMemo, useRef, useState } from 'preact/hooks';
import { orderOf } from '../analysis/order.ts';
import { usePart } from '../state/store.ts';
import { printing as onPaper } from '../state/printing.ts';
import { LongName } from './long_name.tsx';
import { useRowCursor } from './row_cursor.ts';
import { type SavedColumn, TableTools } from './table_tools.tsx';
import { PageLink } from './view_link.tsx';

export interface Column extends SavedColumn {
  /** explains the column on hover */
  hint?: string;
  /** sort key; numbers are right-aligned */
  value(row: number): number | string;
  show?(row: number): ComponentChildren;
  title?(row: number): string;
  /** "84px"; without one the column shares what is left, at least `least` px */
  width?: string;
  least?: number;
  text?: boolean;
  /** text in the font of code */
  code?: boolean;
}

/** The columns without those of `optional` that are empty or 0 in all rows. */
export const withValues = (optional: Set<string>, rows: number[], columns: Column[]) =>
  columns.filter(({ id, value }) => !optional.has(id) || rows.some(value));

export interface TableProperties {
  label: string;
  columns: Column[];
  rows: number[];
  sort: string;
  ascending?: boolean;
  /** pixels; the table scrolls inside beyond it. Without it, it fills its parent. */
  maxHeight?: number;
  /** columns can be chosen and the table saved; without it, if the table once had many rows */
  tools?: boolean;
  /** rows of the saved table; without it, those shown */
  savedRows?: number[];
  /** rows that others belong to: these follow them in any order of the table */
  nested?: Nesting;
  isSelected?(row: number): boolean;
  pick?(row: number): void;
  /** the address of a row; where there is none, its first cell is a button */
  href?(row: number): string | undefined;
}

export interface Nesting {
  /** the row above it that it belongs to; undefined for those of the first level */
  parentOf(row: number): number | undefined;
  /** undefined for rows that have none below */
  isOpen(row: number): boolean | undefined;
}

const rowHeight = 24;
const spare = 8;
const manyRows = 12;
const flexibleWidth = 190;
const letterWidth = 7.4;
/** Room for the column's head: two heads that begin alike must not be cut alike. */
const widthOf = ({ width, label }: Column) => (width ? Math.max(parseFloat(width), Math.ceil(label.length * letterWidth) + 22) : undefined);
/** More rows are not paper. */
const mostPrinted = 200;

export function DataTable({
  label,
  columns: all,
  rows,
  sort,
  ascending = false,
  maxHeight,
  tools,
  savedRows,
  nested,
  isSelected,
  pick,
  href,
}: TableProperties) {
  const [hiddenPart, setHiddenPart] = usePart(`hidden.${label}`);
  const hidden = useMemo(() => new Set(hiddenPart ? hiddenPart.split(',') : []), [hiddenPart]);
  const columns = useMemo(() => (hidden.size > 0 ? all.filter(({ id }) => !hidden.has(id)) : all), [all, hidden]);
  const [order, setOrder] = useOrder(label, all, { id: sort, ascending });
  const [window_, setWindow] = useState({ first: 0, last: 60 });
  const scroller = useRef<HTMLDivElement>(null);
  const long = useRef(false);
  const printing = onPaper.value;
  const by = all.find((column) => column.id === order.id) ?? all[0]!;
  const inOrder = (some: number[]) => Array.from(orderOf(some.map(by.value), order.ascending), (place) => some[place]!);
  const sorted = useMemo(() => {
    const ordered = inOrder(rows);
    return nested ? withNested(ordered, nested) : ordered;
  }, [rows, by.id, columns, order.ascending]);
  const saved = useMemo(() => savedRows && inOrder(savedRows), [savedRows, sorted]);
  const look = () => {
    const element = scroller.current;
    // the table may have been removed meanwhile
    if (!element) return;
    const first = Math.max(0, Math.floor(element.scrollTop / rowHeight) - spare);
    // On paper the element is as high as the table.
    const height = Math.min(element.clientHeight, innerHeight);
    const last = Math.ceil((element.scrollTop + height) / rowHeight) + spare;
    setWindow((before) => (before.first === first && before.last === last ? before : { first, last }));
  };
  useEffect(() => {
    look();
    const observer = new ResizeObserver(look);
    if (scroller.current) observer.observe(scroller.current);
    return () => observer.disconnect();
  }, [sorted.length]);
  const { cursor, setCursor, onKey } = useRowCursor({ scroller, rows: sorted, rowHeight, headRows: 1, look });
  // a row that is selected when the table opens, or becomes lower, is in sight
  useLayoutEffect(() => {
    const at = isSelected ? sorted.findIndex(isSelected) : -1;
    const element = scroller.current!;
    // the height costs a layout
    if (at > 0 && at * rowHeight > element.clientHeight - 2 * rowHeight) element.scrollTop = at * rowHeight - element.clientHeight / 2;
  }, [maxHeight]);
  const last = printing ? Math.min(sorted.length, mostPrinted) : Math.min(sorted.length, window_.last);
  const first = printing ? 0 : Math.min(window_.first, last);
  const shown = sorted.slice(first, last);
  const choose = (column: Column) =>
    setOrder(order.id === column.id ? { id: column.id, ascending: !order.ascending } : { id: column.id, ascending: !!column.text });
  // below this the table scrolls sideways inside its box
  const narrowest = columns.reduce((sum, column) => sum + (widthOf(column) ?? column.least ?? flexibleWidth), 0);
  const stop = shown.includes(cursor) ? cursor : (shown.find((row) => isSelected?.(row)) ?? shown[0]);
  const leads = !!(pick ?? href);
  // of the links and buttons inside rows, those of the row that is the tab stop
  useLayoutEffect(() => {
    if (!leads) return;
    for (const button of scroller.current!.querySelectorAll<HTMLElement>('tbody tr[data-row] :is(button, a)')) {
      button.tabIndex = button.closest('tr')!.dataset.row === String(stop) ? 0 : -1;
    }
  });
  const table = (
    <div class="table-scroll" ref={scroller} onScroll={look} style={{ maxHeight: maxHeight && `${maxHeight}px` }}>
      <table aria-label={label} style={{ minWidth: `${narrowest}px` }} aria-rowcount={sorted.length + 1} onKeyDown={onKey}>
        <colgroup>
          {columns.map((column) => (
            <col key={column.id} style={{ width: widthOf(column) && `${widthOf(column)}px` }} />
          ))}
        </colgroup>
        <thead>
          <tr>
            {columns.map((column) => (
              <th
                key={column.id}
                scope="col"
                class={column.text ? 'text' : 'number'}
                aria-sort={column.id === by.id ? (order.ascending ? 'ascending' : 'descending') : 'none'}>
                {column.label === '' ? (
                  <span class="visually-hidden">{column.hint}</span>
                ) : (
                  <button title={column.hint ?? `Sort by ${column.label}`} onClick={() => choose(column)}>
                    {column.label}
                    <span class="arrow">{column.id === by.id ? (order.ascending ? ' ↑' : ' ↓') : ''}</span>
                  </button>
                )}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {first > 0 && (
            <tr aria-hidden="true">
              <td class="filler" colSpan={columns.length} style={{ height: `${first * rowHeight}px` }} />
            </tr>
          )}
          {shown.map((row, i) => (
            <tr
              key={row}
              data-row={row}
              aria-rowindex={first + i + 2}
              class={`${leads ? 'pickable' : ''}${isSelected?.(row) ? ' chosen' : ''}`}
              onFocusIn={leads ? () => setCursor(row) : undefined}
              onClick={leads ? clickFirstCell : undefined}>
              {columns.map((column, at) => (
                <td
                  key={column.id}
                  class={`${column.text ? 'text' : 'number'}${column.code ? ' code' : ''}`}
                  title={column.title ? column.title(row) : ofText(column) ? String(column.value(row)) : undefined}>
                  {at === 0 && leads ? (
                    <FirstCell
                      href={href?.(row)}
                      go={pick && (() => pick(row))}
                      aria-current={isSelected?.(row) ? 'true' : undefined}
                      aria-expanded={nested?.isOpen(row)}>
                      {contentOf(column, row)}
                    </FirstCell>
                  ) : (
                    contentOf(column, row)
                  )}
                </td>
              ))}
            </tr>
          ))}
          {last < sorted.length && !printing && (
            <tr aria-hidden="true">
              <td class="filler" colSpan={columns.length} style={{ height: `${(sorted.length - last) * rowHeight}px` }} />
            </tr>
          )}
        </tbody>
      </table>
      {printing && last < sorted.length && <p class="quiet note">{sorted.length - last} more rows are not printed.</p>}
    </div>
  );
  long.current ||= rows.length >= manyRows;
  if (!(tools ?? long.current)) return table;
  return (
    <div class="table-box">
      <TableTools
        label={label}
        columns={all}
        hidden={hidden}
        rows={saved ?? sorted}
        setHidden={(next) => setHiddenPart([...next].join(','))}
      />
      {table}
    </div>
  );
}

function withNested(ordered: number[], { parentOf }: Nesting): number[] {
  const below = new Map<number, number[]>();
  const first: number[] = [];
  for (const row of ordered) {
    const parent = parentOf(row);
    if (parent === undefined) first.push(row);
    else if (!below.get(parent)?.push(row)) below.set(parent, [row]);
  }
  return first.flatMap((row) => [row, ...(below.get(row) ?? [])]);
}

function contentOf(column: Column, row: number): ComponentChildren {
  return column.show ? column.show(row) : ofText(column) ? <LongName text={String(column.value(row))} /> : column.value(row);
}

interface FirstCellProperties {
  href: string | undefined;
  go: (() => void) | undefined;
  'aria-current': 'true' | undefined;
  'aria-expanded': boolean | undefined;
  children: ComponentChildren;
}

const FirstCell = ({ href, go, ...rest }: FirstCellProperties) =>
  href === undefined ? <button class="cell-link" {...rest} onClick={go} /> : <PageLink class="cell-link" {...rest} href={href} go={go} />;

/** A click in a row, but on none of its links and buttons, is one on its first cell. */
function clickFirstCell(event: MouseEvent): void {
  if ((event.target as HTMLElement).closest('a, button')) return;
  const link = (event.currentTarget as HTMLElement).querySelector('.cell-link');
  link?.dispatchEvent(new MouseEvent('click', event));
}

/** Its cells are the text itself, which loses its middle where it does not fit. */
const ofText = ({ text, show }: Column) => !!text && !show;

interface Order {
  id: string;
  ascending: boolean;
}

/** The sort order of a table from the URL, written "column" or "-column" for descending. */
function useOrder(label: string, columns: Column[], fallback: Order): [Order, (order: Order) => void] {
  const [text, setText] = usePart(`sort.${label}`);
  const id = text.replace(/^-/, '');
  const order = columns.some((column) => column.id === id) ? { id, ascending: !text.startsWith('-') } : fallback;
  const set = (next: Order) =>
    setText(next.id === fallback.id && next.ascending === fallback.ascending ? '' : `${next.ascending ? '' : '-'}${next.id}`);
  return [order, set];
}
