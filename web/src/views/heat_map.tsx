// SPDX-License-Identifier: Apache-2.0
// The heat map above the flame graph: choosing a range in it chooses the time range of the page, or of its baseline.
import { useEffect, useMemo, useRef, useState } from 'preact/hooks';
import { cellTimes, heatMapOf, rowsIn } from '../analysis/heat_map.ts';
import { compileSelection } from '../analysis/selection.ts';
import { HeatCanvas } from '../charts/heat_map.ts';
import { tickLabel, ticks, tickStep } from '../charts/timeline/scale.ts';
import { amount, clock, clocks } from '../state/format.ts';
import { useStore } from '../state/store.ts';
import { FloatingBox } from './floating_box.tsx';

interface Range {
  from: number;
  to: number;
}
interface Cell {
  column: number;
  row: number;
}

const heats = {
  light: (share: number) => `hsl(${50 - 45 * share} 90% ${90 - 52 * share}%)`,
  dark: (share: number) => `hsl(${20 + 30 * share} ${60 + 35 * share}% ${20 + 50 * share}%)`,
};
const themes = {
  light: { background: '#ffffff', line: '#d9dde3', quiet: '#565d66', picked: '#0b5cad', base: '#8a4b00', heat: heats.light },
  dark: { background: '#16191d', line: '#343a42', quiet: '#a3abb5', picked: '#7db7f5', base: '#ffbf66', heat: heats.dark },
};
const shownTicks = 8;

export function HeatMap() {
  const store = useStore();
  const { model } = store;
  const { selection, versus, showIdle } = store.view.value;
  const unit = store.event.value?.unit ?? 'count';
  const { from: _from, to: _to, search: _search, ...all } = selection;
  const key = JSON.stringify([all, showIdle]);
  const map = useMemo(() => heatMapOf(model, compileSelection(model, all, !showIdle)), [model, key]);
  const host = useRef<HTMLDivElement>(null);
  const canvas = useRef<HeatCanvas | null>(null);
  const [hover, setHover] = useState<(Cell & { x: number; y: number }) | null>(null);
  const [dragged, setDragged] = useState<{ range: Range; base: boolean } | null>(null);
  const dark = store.dark.value;
  const rangeOf = ({ from, to }: { from?: number; to?: number }): Range | null =>
    from === undefined && to === undefined ? null : { from: from ?? 0, to: to ?? model.duration };
  const picked = dragged && !dragged.base ? dragged.range : rangeOf(selection);
  const base = dragged?.base ? dragged.range : versus && rangeOf(versus);
  const pick = (range: Range | null) => store.select({ from: range?.from, to: range?.to });
  const compareWith = (range: Range) => store.update({ versus: { ...selection, ...range } }, true);
  const act = useRef({ map, pick, compareWith });
  act.current = { map, pick, compareWith };
  useEffect(() => {
    canvas.current = new HeatCanvas(host.current!, {
      hover: (column, row, x, y) => setHover({ column, row, x, y }),
      leave: () => setHover(null),
      drag: (a, b, isBase, done) => {
        const ends = [a, b].map(({ column, row }) => cellTimes(act.current.map, column, row));
        const range = { from: Math.min(...ends.map(({ from }) => from)), to: Math.max(...ends.map(({ to }) => to)) };
        setDragged(done ? null : { range, base: isBase });
        if (done) (isBase ? act.current.compareWith : act.current.pick)(range);
      },
    });
    return () => canvas.current?.destroy();
  }, []);
  useEffect(() => {
    const { columns, rows, weight, most } = map;
    canvas.current?.show({
      columns,
      rows,
      heatOf: (column, row) => Math.min(1, Math.sqrt(weight[column * rows.length + row]! / (most || 1))),
      picked: (column) => picked && rowsIn(map, column, picked),
      base: (column) => base && rowsIn(map, column, base),
      ticks: ticks(0, columns * map.columnMs, shownTicks).map((ms) => ({
        column: ms / map.columnMs,
        text: tickLabel(ms, tickStep(columns * map.columnMs, shownTicks)),
      })),
      theme: themes[dark ? 'dark' : 'light'],
    });
  }, [map, picked?.from, picked?.to, base?.from, base?.to, dark]);
  const onKey = (event: KeyboardEvent) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const step = { ArrowLeft: -map.columnMs, ArrowRight: map.columnMs, ArrowUp: -1, ArrowDown: 1 }[event.key];
    const part = map.byPart ? 1000 / map.rows.length : map.columnMs;
    if (step !== undefined) {
      const by = Math.abs(step) === 1 ? step * part : step;
      const now = rangeOf(selection);
      const limit = (ms: number) => Math.max(0, Math.min(map.columns * map.columnMs, ms));
      if (!now) pick({ from: 0, to: map.columnMs });
      else if (event.shiftKey) pick({ from: now.from, to: Math.max(now.from + part, limit(now.to + by)) });
      else if (now.from + by >= 0 && now.to + by <= map.columns * map.columnMs) pick({ from: now.from + by, to: now.to + by });
    } else if (event.key === 'b' && picked) compareWith(picked);
    else if (event.key === 'Escape' && picked) pick(null);
    else return;
    event.preventDefault();
    event.stopPropagation();
  };
  const where = map.byPart ? 'seconds from left to right, parts of a second from top to bottom' : 'time from left to right';
  const height = map.byPart ? Math.min(260, Math.max(120, map.rows.length * 5 + 18)) : Math.min(360, map.rows.length * 18 + 18);
  return (
    <section class="heat-map" aria-label="Heat map">
      <div
        class="heat-host"
        ref={host}
        tabIndex={0}
        role="group"
        style={{ height: `${height}px` }}
        onKeyDown={onKey}
        data-columns={map.columns}
        data-rows={map.rows.length}
        aria-label={`Heat map: ${where}. Arrow keys move the time range, with Shift they extend it, b makes it the baseline, Escape clears it.`}
      />
      <p class="quiet note" role="status">
        {picked ? (
          <>
            Time range {clocks(picked.from, picked.to)}
            {base && `, compared with ${clocks(base.from, base.to)}`}.
          </>
        ) : (
          <>Drag to select a time range, Shift-drag to select a baseline.</>
        )}{' '}
        Darkest: at least {amount(map.most, unit)} in {clock(map.byPart && map.columnMs <= 1000 ? 1000 / map.rows.length : map.columnMs)}.
      </p>
      {hover && (
        <FloatingBox x={hover.x} y={hover.y}>
          <b>{amount(map.weight[hover.column * map.rows.length + hover.row]!, unit)}</b>
          {!map.byPart && ` ${map.rows[hover.row]}`}
          <div>{clocks(cellTimes(map, hover.column, hover.row).from, cellTimes(map, hover.column, hover.row).to)}</div>
        </FloatingBox>
      )}
    </section>
  );
}
