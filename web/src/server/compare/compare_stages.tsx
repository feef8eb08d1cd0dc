// SPDX-License-Identifier: Apache-2.0
import { bytes, count, duration } from '../../state/format.ts';
import { DataTable, type Column } from '../../views/data_table.tsx';
import type { ComparedStage, Comparison } from '../contract.ts';
import { Ratio } from '../ratio.tsx';

type Key = 'durationMs' | 'tasks' | 'runTimeNs' | 'cpuTimeNs' | 'gcTimeNs' | 'shuffleReadBytes' | 'shuffleWriteBytes' | 'spilledBytes';

const measures: { key: Key; label: string; show(value: number): string; ratio?: boolean }[] = [
  { key: 'durationMs', label: 'Duration', show: (value) => duration(value * 1e6), ratio: true },
  { key: 'tasks', label: 'Tasks', show: count },
  { key: 'runTimeNs', label: 'Task time', show: duration, ratio: true },
  { key: 'cpuTimeNs', label: 'CPU', show: duration },
  { key: 'gcTimeNs', label: 'GC', show: duration },
  { key: 'shuffleReadBytes', label: 'Shuffle read', show: bytes },
  { key: 'shuffleWriteBytes', label: 'Shuffle write', show: bytes },
  { key: 'spilledBytes', label: 'Spilled', show: bytes },
];

/** Stages of the same name next to each other: the baseline and this run in each cell. */
export function ComparedStages({ stages }: { stages: Comparison['stages'] }) {
  const id = (stage: ComparedStage | null) => (stage ? `${stage.stage}${stage.attempt ? `.${stage.attempt}` : ''}` : '–');
  const most = (row: number, key: Key) => Math.max(stages[row]!.a?.[key] ?? 0, stages[row]!.b?.[key] ?? 0);
  const change = (row: number) => (stages[row]!.a?.durationMs ?? 0) - (stages[row]!.b?.durationMs ?? 0);
  const columns: Column[] = [
    {
      id: 'ids',
      label: 'Stages',
      hint: 'Stage IDs of the baseline and of this run',
      width: '72px',
      text: true,
      value: (row) => stages[row]!.a?.stage ?? stages[row]!.b?.stage ?? 0,
      show: (row) => `${id(stages[row]!.b)} → ${id(stages[row]!.a)}`,
    },
    { id: 'name', label: 'Stage', text: true, value: (row) => stages[row]!.name, title: (row) => stages[row]!.name },
    {
      id: 'change',
      label: 'Change',
      width: '92px',
      hint: 'Of the duration, by its size',
      value: (row) => Math.abs(change(row)),
      show: (row) => `${change(row) < 0 ? '−' : '+'}${duration(Math.abs(change(row)) * 1e6)}`,
    },
    ...measures.flatMap(({ key, label, show, ratio }): Column[] => [
      {
        id: key,
        label,
        width: key === 'tasks' ? '84px' : '136px',
        hint: `${label}: the baseline, then this run`,
        value: (row) => most(row, key),
        show: (row) => <Pair a={stages[row]!.a?.[key]} b={stages[row]!.b?.[key]} show={show} />,
      },
      ...(ratio
        ? [
            {
              id: `${key}Ratio`,
              label: '÷',
              hint: `${label} of this run divided by that of the baseline`,
              width: '84px',
              value: (row: number) => {
                const { a, b } = stages[row]!;
                return a && b && b[key] > 0 ? a[key] / b[key] : -1;
              },
              show: (row: number) => {
                const { a, b } = stages[row]!;
                return a && b ? <Ratio a={a[key]} b={b[key]} /> : <span class="quiet">{a ? 'new' : 'gone'}</span>;
              },
            },
          ]
        : []),
    ]),
  ];
  return (
    <main class="list-page">
      {stages.length === 0 ? (
        <p class="empty">Neither application has stages.</p>
      ) : (
        <DataTable label="Stages side by side" columns={columns} rows={stages.map((_stage, row) => row)} sort="change" />
      )}
      <p class="quiet note">Stages with the same name belong together, in their order. Each cell has the baseline, then this run.</p>
    </main>
  );
}

function Pair({ a, b, show }: { a?: number; b?: number; show(value: number): string }) {
  const text = (value?: number) => (value === undefined ? '–' : show(value));
  if (!a && !b) return <span class="quiet">–</span>;
  return (
    <span class="pair">
      <span class="quiet">{text(b)}</span>
      <span>{text(a)}</span>
    </span>
  );
}
