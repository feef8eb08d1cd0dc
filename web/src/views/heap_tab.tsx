// SPDX-License-Identifier: Apache-2.0
// The largest classes in the JVMs' heaps: over time, and the difference of two times.
import { useMemo } from 'preact/hooks';
import {
  changeOf,
  grownClasses,
  heapCurve,
  summariesIn,
  timeChoices,
  timesOf,
  type HeapChange,
  type TimeChoice,
} from '../analysis/heap.ts';
import { executorMask } from '../analysis/selection.ts';
import { amount, clock, share } from '../state/format.ts';
import { usePart, useStore } from '../state/store.ts';
import { plainColumn } from './columns.tsx';
import type { Column } from './data_table.tsx';
import { FoundTable } from './found_table.tsx';
import { MetricGraph } from './metric_graph.tsx';

const chartHeight = 220;

export function HeapTab() {
  const store = useStore();
  const { model } = store;
  const heap = model.report.heap!;
  const { executor, from, to } = store.selection.value;
  const { window } = store.view.value;
  const [fromPart, setFromPart] = usePart('heapFrom');
  const [toPart, setToPart] = usePart('heapTo');
  const mask = useMemo(() => executorMask(model, { executor }), [model, executor]);
  const ofExecutors = useMemo(() => summariesIn(model, heap, mask), [model, mask]);
  const curve = useMemo(() => heapCurve(model, heap, ofExecutors), [model, ofExecutors]);
  const choices = useMemo(
    () => timeChoices(model, timesOf(model, heap, summariesIn(model, heap, mask, from, to))),
    [model, mask, from, to],
  );
  if (!curve || choices.length === 0) {
    return <p class="quiet note">No heap summaries of this executor in this time range. Each JVM has its first one after 5 s.</p>;
  }
  const start = choices.find(({ first }) => first === Number(fromPart || NaN)) ?? choices[0]!;
  const end = choices.find(({ last }) => last === Number(toPart || NaN) && last >= start.first) ?? choices.at(-1)!;
  const change = changeOf(heap, summariesIn(model, heap, mask, start.first, end.last));
  const longestMs = Math.max(...ofExecutors.map((row) => heap.summaries[row]!.pauseMs));
  const time = (label: string, side: keyof TimeChoice, value: number, allowed: TimeChoice[], set: (ms: number) => void) => (
    <label>
      {label}{' '}
      <select value={value} onChange={(event) => set(Number(event.currentTarget.value))}>
        {allowed.map((choice) => (
          <option key={choice[side]} value={choice[side]}>
            {clock(Math.max(0, choice.first))}
          </option>
        ))}
      </select>
    </label>
  );
  return (
    <div class="heap">
      <HeapGrowth change={change} from={start.first} to={end.last} hasBefore={choices.length > 1} />
      {curve.aligned[0].length > 1 && <MetricGraph curve={curve} axis={window ?? { from: 0, to: model.duration }} height={chartHeight} />}
      <div class="toolbar">
        {choices.length > 1 && (
          <>
            {time('Change from', 'first', start.first, choices, (ms) => setFromPart(String(ms)))}
            {time(
              'to',
              'last',
              end.last,
              choices.filter(({ last }) => last >= start.first),
              (ms) => setToPart(String(ms)),
            )}
          </>
        )}
        <span class="quiet">
          Summaries: {ofExecutors.length}; longest pause {amount(longestMs * 1e6, 'ns')}
        </span>
      </div>
      <Classes change={change} hasBefore={choices.length > 1} />
      <p class="quiet note">
        Includes objects that the next garbage collection will remove. Of several JVMs, the sum; classes beyond the largest count as 0.
      </p>
    </div>
  );
}

const mostNamed = 3;

/** One sentence about what grew, or why nothing can be said. */
function HeapGrowth({ change, from, to, hasBefore }: { change: HeapChange; from: number; to: number; hasBefore: boolean }) {
  const { total } = change;
  const grown = grownClasses(change, mostNamed);
  const by = total.bytes - total.bytesBefore;
  const span = `${clock(Math.max(0, from))} to ${clock(Math.max(0, to))}`;
  return (
    <p class="note heap-growth">
      {!hasBefore ? (
        'There is one summary of the heap: growth needs a second one.'
      ) : by <= 0 || grown.length === 0 ? (
        `The heap did not grow from ${span}.`
      ) : (
        <>
          The heap grew by <b>{amount(by, 'bytes')}</b> from {span}, most of all{' '}
          {grown.map(({ name, bytes }, i) => (
            <span key={name}>
              {i > 0 && ', '}
              <span class="code">{name}</span> {signed(bytes, 'bytes')}
            </span>
          ))}
          .
        </>
      )}
    </p>
  );
}

function signed(value: number, unit: string): string {
  if (value === 0) return '0';
  return (value > 0 ? '+' : '−') + amount(Math.abs(value), unit);
}

/** `hasBefore`: there are two times to compare. */
function Classes({ change: { rows, total }, hasBefore }: { change: HeapChange; hasBefore: boolean }) {
  const texts = useMemo(() => rows.map(({ name }) => name), [rows]);
  const columns = useMemo<Column[]>(() => {
    const change = (of: 'bytes' | 'instances', unit: string): Column => {
      const by = (row: number) => rows[row]![of] - rows[row]![`${of}Before`];
      return { ...plainColumn(`${of}Change`, 'Change', unit, by, '110px', `Change in ${of}`), show: (row) => signed(by(row), unit) };
    };
    const bytes = plainColumn('bytes', 'Bytes', 'bytes', (row) => rows[row]!.bytes, '110px');
    return [
      { id: 'name', label: 'Class', text: true, value: (row) => rows[row]!.name },
      bytes,
      {
        ...bytes,
        id: 'share',
        label: 'Share',
        hint: `Of ${amount(total.bytes, 'bytes')} in all classes`,
        show: (row) => share(rows[row]!.bytes / (total.bytes || 1)),
      },
      ...(hasBefore ? [change('bytes', 'bytes')] : []),
      plainColumn('instances', 'Instances', 'count', (row) => rows[row]!.instances, '110px'),
      ...(hasBefore ? [change('instances', 'count')] : []),
    ];
  }, [rows, total.bytes, hasBefore]);
  return <FoundTable label="Classes in the heap" what="classes" texts={texts} columns={columns} sort="bytes" maxHeight={480} />;
}
