// SPDX-License-Identifier: Apache-2.0
// The visible log lines. Click a line to show the complete record and mark its time on the timeline.
import { useEffect, useMemo, useRef, useState } from 'preact/hooks';
import { executorMask } from '../analysis/selection.ts';
import { filterLogs, isBad, placeOf, textOf } from '../analysis/logs.ts';
import type { Logs } from '../data/contract.ts';
import { count } from '../state/format.ts';
import { usePart, useStore } from '../state/store.ts';
import { useRowCursor } from './row_cursor.ts';
import { plural } from './text.ts';

const rowHeight = 20;
const spare = 20;

interface Properties {
  logs: Logs;
  label: string;
  template?: number;
  height?: number;
  everyTime?: boolean;
}

/** `everyTime`: the selected time range does not hold here: the panel shows what is around a moment. */
export function LogList({ logs, label, template = -1, height, everyTime = false }: Properties) {
  const store = useStore();
  const { moment } = store.view.value;
  const { executor, from, to, search } = store.selection.value;
  const [levelPart, setLevelPart] = usePart('levels');
  const levels = useMemo<ReadonlySet<number>>(
    () =>
      new Set(
        levelPart
          .split('.')
          .filter((name) => name)
          .map((name) => logs.levels.indexOf(name === 'output' ? '' : name)),
      ),
    [levelPart, logs],
  );
  const [open, setOpen] = useState(-1);
  const [top, setTop] = useState(0);
  const [sight, setSight] = useState(400);
  const scroller = useRef<HTMLDivElement>(null);
  const rows = useMemo(
    () =>
      filterLogs(logs, {
        levels,
        executors: executorMask(store.model, { executor }),
        template,
        search: search ?? '',
        ...(everyTime ? {} : { from, to }),
      }),
    [logs, levels, executor, template, search, everyTime, everyTime ? 0 : from, everyTime ? 0 : to],
  );
  const at = moment === null ? -1 : placeOf(logs, rows, moment);
  useEffect(() => {
    const element = scroller.current;
    if (!element || at < 0) return;
    const y = at * rowHeight;
    // what the reader clicked in the list itself stays where it is
    if (y < element.scrollTop || y > element.scrollTop + element.clientHeight - rowHeight)
      element.scrollTop = Math.max(0, y - element.clientHeight / 3);
  }, [moment, rows]);
  useEffect(() => {
    const element = scroller.current!;
    const observer = new ResizeObserver(() => setSight(element.clientHeight));
    observer.observe(element);
    return () => observer.disconnect();
  }, []);
  const first = Math.max(0, Math.floor(top / rowHeight) - spare);
  const last = Math.min(rows.length, Math.ceil((top + sight) / rowHeight) + spare);
  const shown: number[] = Array.from(rows.subarray(first, last));
  const toggle = (level: number) => {
    const after = new Set(levels);
    if (!after.delete(level)) after.add(level);
    setLevelPart([...after].map((row) => logs.levels[row] || 'output').join('.'));
  };
  const present = useMemo(() => [...new Set(logs.records.level)].sort((a, b) => b - a), [logs]);
  const pick = (row: number) => {
    setOpen(row === open ? -1 : row);
    store.update({ moment: Math.max(0, logs.records.time[row]!) });
  };
  const look = () => setTop(scroller.current?.scrollTop ?? 0);
  const { cursor, onKey } = useRowCursor({ scroller, rows, rowHeight, headRows: 0, look, pick });
  const stop = shown.includes(cursor) ? cursor : shown[0];
  return (
    <div class="log" style={{ height: height ? `${height}px` : undefined }}>
      <div class="log-bar">
        {present.map((level) => (
          <button
            key={level}
            class={`toggle level-${logs.levels[level] || 'none'}`}
            aria-pressed={levels.has(level)}
            onClick={() => toggle(level)}>
            {logs.levels[level] || 'output'}
          </button>
        ))}
        <span class="quiet">
          {count(rows.length)} of {plural(logs.records.time.length, 'line')}
        </span>
      </div>
      <div class="log-lines" ref={scroller} role="listbox" aria-label={label} onKeyDown={onKey} onScroll={look}>
        <div style={{ height: `${first * rowHeight}px` }} />
        {shown.map((row, i) => (
          <LogLine key={row} logs={logs} row={row} marked={first + i === at} open={open === row} stop={row === stop} pick={pick} />
        ))}
        <div style={{ height: `${Math.max(0, rows.length - last) * rowHeight}px` }} />
      </div>
      {rows.length === 0 && <p class="quiet note">No log lines match the selection.</p>}
      {open >= 0 && <LogRecord logs={logs} row={open} close={() => setOpen(-1)} />}
    </div>
  );
}

function LogLine({
  logs,
  row,
  marked,
  open,
  stop,
  pick,
}: {
  logs: Logs;
  row: number;
  marked: boolean;
  open: boolean;
  stop: boolean;
  pick(row: number): void;
}) {
  const store = useStore();
  const { level, executor, time } = logs.records;
  const name = logs.levels[level[row]!] ?? '';
  const text = textOf(logs, row);
  const more = text.indexOf('\n');
  return (
    <div
      class={`log-line${isBad(name) ? ' bad' : name === 'WARN' ? ' warn' : ''}${marked ? ' marked' : ''}`}
      role="option"
      tabIndex={stop ? 0 : -1}
      title={store.dateAt(time[row]!)}
      aria-selected={open}
      data-row={row}
      onClick={() => pick(row)}>
      <span class="quiet log-who">{executor[row]! >= 0 ? store.model.executorName(executor[row]!).replace('executor ', '') : ''}</span>
      <span class="log-text">{more < 0 ? text : `${text.slice(0, more)} ⏎`}</span>
    </div>
  );
}

function LogRecord({ logs, row, close }: { logs: Logs; row: number; close(): void }) {
  const { source, line } = logs.records;
  return (
    <div class="log-record">
      <div class="log-bar">
        <span class="quiet log-place" title={logs.sources[source[row]!]}>
          {logs.sources[source[row]!]}:{line[row]}
        </span>
        <button class="link" onClick={close}>
          close
        </button>
      </div>
      <pre tabIndex={0}>{textOf(logs, row)}</pre>
    </div>
  );
}
