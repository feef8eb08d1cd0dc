// SPDX-License-Identifier: Apache-2.0
// The canvas inside the page: theme, tooltip and the count of what was too narrow to draw.
import type { Signal } from '../../state/signals.ts';
import { useLayoutEffect, useMemo, useRef, useState } from 'preact/hooks';
import { Kind } from '../../data/contract.ts';
import { smallestFollowed } from '../../analysis/flame/transforms.ts';
import { changeColor, classOf, frameClasses, functionColors, hexOf, type FrameColor } from '../../charts/flame/colors.ts';
import { FlameCanvas, rowHeight, type DrawResult } from '../../charts/flame/flame_canvas.ts';
import type { FlameTheme } from '../../charts/flame/flame_scene.ts';
import { changeOf, isNoise, isRun, isStrip, rootLabel, type Picture } from '../../state/flame.ts';
import { amount, clock, count } from '../../state/format.ts';
import { usePart, useStore } from '../../state/store.ts';
import type { MenuPlace } from './flame_menu.tsx';
import { missingEventsHint } from './flame_empty.ts';
import { labelName } from './flame_path.tsx';
import { FlameTooltip, type TooltipPlace } from './flame_tooltip.tsx';

const themes: Record<'light' | 'dark', FlameTheme> = {
  light: { background: '#ffffff', faded: '#eceef1', fadedText: '#565d66', outline: '#111418', hatch: '#8a929c', match: '#7a1fa2' },
  dark: { background: '#16191d', faded: '#23272d', fadedText: '#a3abb5', outline: '#f5f7fa', hatch: '#727b86', match: '#e29bff' },
};

const noStrip = () => false;

interface Properties {
  kind: 'main' | 'callers';
  picture: Picture;
  selected: Signal<number>;
  menu: Signal<MenuPlace | null>;
  zoom: number;
  stem: number;
  /** set after each drawing */
  fits?: Signal<boolean>;
}

export function FlameGraph({ kind, picture, selected, menu, zoom, stem, fits }: Properties) {
  const store = useStore();
  const host = useRef<HTMLDivElement>(null);
  const canvas = useRef<FlameCanvas | null>(null);
  const shown = useRef(picture);
  shown.current = picture;
  const [place, setPlace] = useState<TooltipPlace | null>(null);
  const [drawn, setDrawn] = useState<DrawResult | null>(null);
  const { model } = store;
  const { color, flames, sandwich, absolute, versus } = store.view.value;
  const dark = store.dark.value;
  const { functions } = model;
  const strips = useMemo(() => isStrip(model), [model]);
  const colors = useMemo(() => functionColors(functions.name, functions.kind, functions.origin, color, dark), [functions, color, dark]);
  const flame = store.flame.value;

  useLayoutEffect(() => {
    const graph = new FlameCanvas(
      host.current!,
      {
        hover: (row, x, y) => setPlace(row < 0 ? null : { row, x, y }),
        pick: (row) => {
          if (kind === 'main') selected.value = row;
        },
        zoom: (row) => {
          const label = shown.current.layout.label[row]!;
          // a run of Spark's frames opens
          if (isRun(model, label)) store.update({ plumbing: true });
          else if (kind === 'main') store.update({ zoom: row });
          else if (row > 0) store.update({ sandwich: labelName(store.labelNames, shown.current.layout.label[row]!) });
        },
        menu: (row, x, y) => {
          if (kind === 'main') selected.value = row;
          menu.value = { row, x, y, callers: kind === 'callers' };
        },
      },
      (result) => {
        if (performance.getEntriesByName('sparkprof-drawn').length === 0) performance.mark('sparkprof-drawn');
        setDrawn(result);
        if (fits) fits.value = result.fits;
      },
    );
    canvas.current = graph;
    return () => graph.destroy();
  }, []);

  const [shownKind] = usePart('kind');
  const kindShown = color === 'kind' && !versus ? frameClasses.findIndex(({ id }) => id === shownKind) : -1;
  const picked = kind === 'main' ? selected.value : -1;
  useLayoutEffect(() => {
    const threadColor: FrameColor = {
      fill: hexOf({ lightness: dark ? 0.33 : 0.93, chroma: 0.006, hue: 250 }),
      text: dark ? '#f7f8fa' : '#14171a',
    };
    const vm = frameClasses.find(({ id }) => id === 'vm')!;
    const stripColor: FrameColor = { fill: hexOf(vm[dark ? 'dark' : 'light']), text: dark ? '#f7f8fa' : '#14171a' };
    const { layout, total } = picture;
    canvas.current?.show({
      layout,
      nameOf: (label) => labelName(store.labelNames, label),
      colorOf:
        versus && total.length === 2
          ? (row) => {
              const [a, b] = [total[0]![layout.node[row]!]!, total[1]![layout.node[row]!]!];
              return changeColor(isNoise(a, b, flame, absolute) ? 0 : changeOf(a, b, flame, absolute), dark);
            }
          : (row) => colors[layout.label[row]!] ?? (strips(layout.label[row]!) ? stripColor : threadColor),
      theme: themes[dark ? 'dark' : 'light'],
      flames: kind === 'callers' ? true : sandwich ? false : flames,
      zoom,
      stem,
      selected: picked,
      matches: store.search.value.matches,
      synthetic: (label) => label !== rootLabel && (functions.kind[label] === Kind.Synthetic || isRun(model, label)),
      // a search looks into every group
      closed: store.search.value.matches ? noStrip : strips,
      faded: (label) =>
        (label < functions.count && kindShown >= 0 && classOf(functions.kind[label]!, functions.origin[label]!) !== kindShown) ||
        (kindShown >= 0 && label >= functions.count),
    });
    if (picked >= 0) canvas.current?.reveal(picked);
  }, [picture, colors, dark, flames, sandwich, zoom, stem, picked, store.search.value.matches, versus, absolute, kindShown]);

  const height = kind === 'callers' ? `${Math.min(14, picture.layout.maxDepth + 1) * rowHeight + 2}px` : undefined;
  const { timeOrder } = store.flame.value;
  return (
    <figure class={`flame flame-${kind}`}>
      {store.flame.value.callers && <figcaption>{kind === 'callers' ? 'Callers' : 'Callees'}</figcaption>}
      {timeOrder && <TimeScale from={picture.layout.start[zoom]!} span={picture.layout.total[zoom]!} />}
      <div
        class="flame-host"
        ref={host}
        style={{ height }}
        data-drawn={drawn?.drawn}
        data-skipped={drawn?.skipped}
        data-milliseconds={drawn?.milliseconds}
      />
      {kind === 'main' && (
        <figcaption class="flame-note">
          {drawn ? count(drawn.drawn) : 'No'} {drawn?.drawn === 1 ? 'frame' : 'frames'} drawn
          {drawn && drawn.skipped > 0 && `, ${count(drawn.skipped)} narrower than half a pixel omitted; zoom in to see them`}
          {store.flame.value.cut && `; callers below ${smallestFollowed * 100}% of the total are not expanded`}
          {timeOrder && `; in order of time, in steps of ${clock(timeOrder.stepMs)}, each in the order of the flame graph`}
          <Hints />
          {versus && <ChangeLegend />}
        </figcaption>
      )}
      {place && <FlameTooltip picture={picture} place={place} />}
    </figure>
  );
}

/** Samples that the graph omits. */
function Hints() {
  const store = useStore();
  const { idle } = store.weights.value[0]!;
  const missing = missingEventsHint(store);
  return (
    <>
      {idle > 0 && (
        <span>
          {amount(idle, store.event.value?.unit ?? 'ns')} of threads that sleep outside tasks or wait in a pool are hidden; “Idle threads”
          under View shows them
        </span>
      )}
      {missing && <span>{missing}</span>}
    </>
  );
}

const ticks = [0, 0.2, 0.4, 0.6, 0.8];

/** Times above the graph, ms since the application's start. */
function TimeScale({ from, span }: { from: number; span: number }) {
  const store = useStore();
  return (
    <div class="time-scale quiet">
      {ticks.map((part) => (
        <span key={part} title={store.dateAt(from + part * span)} style={{ left: `${part * 100}%` }}>
          {clock(Math.round(from + part * span))}
        </span>
      ))}
    </div>
  );
}

function ChangeLegend() {
  const store = useStore();
  const dark = store.dark.value;
  return (
    <span class="change-legend">
      less
      {[-1, -0.5, -0.2, 0, 0.2, 0.5, 1].map((change) => (
        <i key={change} style={{ background: changeColor(change, dark).fill }} />
      ))}
      more than the baseline; grey: within the noise of sampling; width is the mean of both
    </span>
  );
}
