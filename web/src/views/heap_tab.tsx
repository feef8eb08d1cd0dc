// SPDX-License-Identifier: Apache-2.0
// The largest classes in the JVMs' heaps: over time, and the difference of two times.
import { useMemo } from 'preact/hooks';
import { changeOf, heapCurve, summariesIn, timeChoices, timesOf, type HeapChange, type TimeChoice } from '../analysis/heap.ts';
import { searchNames } from '../analysis/search.ts';
import { executorMask } from '../analysis/selection.ts';
import { amount, clock, exact, share } from '../state/format.ts';
import { usePart, useStore } from '../state/store.ts';
import { DataTable, type Column } from './data_table.tsx';
import { FilteredRows } from './filter_notes.tsx';
import { LongName } from './long_name.tsx';
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
      {curve.aligned[0].length > 1 && <MetricGraph curve={curve} axis={window ?? { from: 0, to: model.duration }} height={chartHeight} />}
      <div class="toolbar">
        {time('Change from', 'first', start.first, choices, (ms) => setFromPart(String(ms)))}
        {time(
          'to',
          'last',
          end.last,
          choices.filter(({ last }) => last >= start.first),
          (ms) => setToPart(String(ms)),
        )}
        <span class="quiet">
          Summaries: {ofExecutors.length}; longest pause {amount(longestMs * 1e6, 'ns')}
        </span>
      </div>
      <Classes change={changeOf(heap, summariesIn(model, heap, mask, start.first, end.last))} />
      <p class="quiet note">
        Includes objects that the next garbage collection will remove. Of several JVMs, the sum. A class that is not among the largest of a
        summary counts as 0.
      </p>
    </div>
  );
}

function signed(value: number, unit: string): string {
  if (value === 0) return '0';
  return (value > 0 ? '+' : '−') + amount(Math.abs(value), unit);
}

function Classes({ change: { rows, total } }: { change: HeapChange }) {
  const { search } = useStore().selection.value;
  const shown = useMemo(() => {
    const { matches } = searchNames(
      rows.map(({ name }) => name),
      search ?? '',
    );
    return rows.flatMap((_, row) => (!matches || matches[row] ? [row] : []));
  }, [rows, search]);
  const columns = useMemo<Column[]>(() => {
    const number = (
      id: string,
      label: string,
      unit: string,
      value: (row: number) => number,
      text: (value: number) => string,
      hint?: string,
    ): Column => ({ id, label, hint, width: '110px', value, show: (row) => text(value(row)), title: (row) => exact(value(row), unit) });
    return [
      {
        id: 'name',
        label: 'Class',
        text: true,
        value: (row) => rows[row]!.name,
        show: (row) => <LongName text={rows[row]!.name} />,
        title: (row) => rows[row]!.name,
      },
      number(
        'bytes',
        'Bytes',
        'bytes',
        (row) => rows[row]!.bytes,
        (value) => amount(value, 'bytes'),
      ),
      number(
        'share',
        'Share',
        'bytes',
        (row) => rows[row]!.bytes,
        (value) => share(value / (total.bytes || 1)),
        `Of ${amount(total.bytes, 'bytes')} in all classes`,
      ),
      number(
        'bytesChange',
        'Change',
        'bytes',
        (row) => rows[row]!.bytes - rows[row]!.bytesBefore,
        (value) => signed(value, 'bytes'),
        'Change in bytes',
      ),
      number(
        'instances',
        'Instances',
        'count',
        (row) => rows[row]!.instances,
        (value) => amount(value, 'count'),
      ),
      number(
        'instancesChange',
        'Change',
        'count',
        (row) => rows[row]!.instances - rows[row]!.instancesBefore,
        (value) => signed(value, 'count'),
        'Change in instances',
      ),
    ];
  }, [rows, total.bytes]);
  return (
    <>
      <FilteredRows shown={shown.length} total={rows.length} what="classes" filters={['search']} />
      <DataTable label="Classes in the heap" columns={columns} rows={shown} sort="bytes" maxHeight={480} />
    </>
  );
}
