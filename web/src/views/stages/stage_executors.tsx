// SPDX-License-Identifier: Apache-2.0
// The executors of one stage side by side.
import { useMemo } from 'preact/hooks';
import { byExecutor, phases } from '../../analysis/phases.ts';
import type { Stage } from '../../data/contract.ts';
import { exact, share } from '../../state/format.ts';
import { useStore } from '../../state/store.ts';
import { amountColumn, plainColumn } from '../columns.tsx';
import { DataTable, type Column } from '../data_table.tsx';

export function StageExecutors({ stage, rows }: { stage: Stage; rows: number[] }) {
  const store = useStore();
  const { report } = store.model;
  const executors = useMemo(() => byExecutor(report.tasks, rows), [report, rows]);
  const columns = useMemo<Column[]>(() => {
    const whole = executors.map(({ sums }) => sums.reduce((a, b) => a + b, 0));
    const ms = (id: 'median' | 'longest', label: string) => plainColumn(id, label, 'ns', (row) => executors[row]![id] * 1e6);
    return [
      { id: 'executor', label: 'Executor', text: true, value: (row) => report.executors[executors[row]!.executor]?.id ?? 'unknown' },
      { id: 'host', label: 'Host', text: true, value: (row) => report.executors[executors[row]!.executor]?.host ?? '' },
      { id: 'tasks', label: 'Tasks', width: '70px', value: (row) => executors[row]!.tasks },
      ms('median', 'Median'),
      ms('longest', 'Max'),
      amountColumn('read', 'Read', 'bytes', (row) => executors[row]!.inputBytes, '90px', 'Input and shuffle'),
      ...phases.flatMap(({ id, label }, i): Column[] =>
        executors.some(({ sums }) => sums[i]! > 0)
          ? [
              {
                id,
                label: label.replace(/ \(.*/, ''),
                hint: `${label}: share of task time`,
                width: '110px',
                value: (row) => executors[row]!.sums[i]! / (whole[row]! || 1),
                show: (row) => share(executors[row]!.sums[i]! / (whole[row]! || 1)),
                title: (row) => exact(executors[row]!.sums[i], 'ns'),
              },
            ]
          : [],
      ),
    ];
  }, [executors, report]);
  const selectionOf = (row: number) => ({
    stage: stage.stageId,
    stageAttempt: stage.attemptId,
    task: undefined,
    executor: report.executors[executors[row]!.executor]?.id,
  });
  return (
    <DataTable
      label={`Executors of stage ${stage.stageId}`}
      columns={columns}
      rows={[...executors.keys()]}
      sort="longest"
      maxHeight={220}
      href={(row) => store.hrefWith(selectionOf(row), store.tabOfSelections)}
      pick={(row) => store.show(selectionOf(row))}
    />
  );
}
