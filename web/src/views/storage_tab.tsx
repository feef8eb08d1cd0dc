// SPDX-License-Identifier: Apache-2.0
// Cached RDDs and tables: how they are kept, how much of them, and who ran with them.
import { useMemo } from 'preact/hooks';
import { placesFound } from '../analysis/search.ts';
import { nameOf, storageCurve, storedAt } from '../analysis/storage.ts';
import type { StoredRdd } from '../data/contract.ts';
import { clock, count } from '../state/format.ts';
import { useStore } from '../state/store.ts';
import { amountColumn, clockColumn } from './columns.tsx';
import { DataTable, type Column } from './data_table.tsx';
import { SelectionLink } from './view_link.tsx';
import { FilteredRows } from './filter_notes.tsx';
import { MetricGraph } from './metric_graph.tsx';

const graphHeight = 150;

export function StorageTab() {
  const store = useStore();
  const { model } = store;
  const all = model.report.storage!;
  const { stage, search, from, to } = store.selection.value;
  const { window } = store.view.value;
  const rows = useMemo(
    () => placesFound(all.map(nameOf), search).filter((row) => stage === undefined || all[row]!.stageIds.includes(stage)),
    [all, stage, search],
  );
  const shown = useMemo(() => rows.map((row) => all[row]!), [all, rows]);
  const memory = useMemo(() => storageCurve(shown, 'memoryBytes', 'Cached in memory', model.duration), [shown, model]);
  const disk = useMemo(() => storageCurve(shown, 'diskBytes', 'Cached on disk', model.duration), [shown, model]);
  const axis = window ?? { from: 0, to: model.duration };
  const known = all.some(({ stored }) => stored);
  return (
    <div class="storage">
      {memory && <MetricGraph curve={memory} axis={axis} height={graphHeight} />}
      {disk && <MetricGraph curve={disk} axis={axis} height={graphHeight} />}
      {!known && (
        <p class="quiet note">Sizes are unknown: only event logs with spark.eventLog.logBlockUpdates.enabled=true contain them.</p>
      )}
      <FilteredRows shown={rows.length} total={all.length} what="cached RDDs" filters={['stage', 'search']} />
      <StoredRdds rows={rows} moment={to ?? (from === undefined ? undefined : model.duration)} />
    </div>
  );
}

/** `moment`: the end of the chosen time range, ms since the application's start. */
function StoredRdds({ rows, moment }: { rows: number[]; moment: number | undefined }) {
  const store = useStore();
  const { model } = store;
  const rdds = model.report.storage!;
  const at = moment ?? model.duration;
  const columns = useMemo<Column[]>(() => {
    const number = (id: string, label: string, unit: string, width: string, value: (rdd: StoredRdd) => number | undefined, hint?: string) =>
      amountColumn(id, label, unit, (row) => (rdds[row]!.stored ? value(rdds[row]!) : null), width, hint);
    const time = (id: string, label: string, ms: (rdd: StoredRdd) => number | null | undefined) =>
      clockColumn(
        id,
        label,
        (row) => ms(rdds[row]!),
        (at) => store.dateAt(at),
        '116px',
      );
    const when = moment === undefined ? 'at the end' : `at ${clock(moment)}`;
    return [
      { id: 'name', label: 'RDD', text: true, value: (row) => nameOf(rdds[row]!) },
      { id: 'level', label: 'Storage level', width: '290px', text: true, value: (row) => rdds[row]!.storageLevel },
      {
        id: 'partitions',
        label: 'Partitions',
        width: '110px',
        hint: `Cached ${when}, of all`,
        value: (row) => rdds[row]!.numPartitions,
        show: (row) =>
          rdds[row]!.stored
            ? `${count(storedAt(rdds[row]!, 'partitions', at))} of ${count(rdds[row]!.numPartitions)}`
            : count(rdds[row]!.numPartitions),
      },
      number('memory', 'Memory', 'bytes', '90px', (rdd) => storedAt(rdd, 'memoryBytes', at), `In memory ${when}`),
      number('peakMemory', 'Peak memory', 'bytes', '124px', (rdd) => rdd.peakMemoryUsed),
      number('disk', 'Disk', 'bytes', '80px', (rdd) => storedAt(rdd, 'diskBytes', at), `On disk ${when}`),
      number('evicted', 'Evicted', 'count', '84px', (rdd) => rdd.evictedBlocks, 'Blocks that left memory while the program kept the RDD'),
      number('lost', 'Lost', 'count', '70px', (rdd) => rdd.lostBlocks, 'Blocks that were lost with their executor'),
      time('cached', 'Cached', ({ stored }) => stored?.time[0]),
      time('unpersisted', 'Unpersisted', ({ unpersistTime }) => model.since(unpersistTime)),
      {
        id: 'stages',
        label: 'Stages',
        text: true,
        hint: 'Stages that ran with it',
        value: (row) => rdds[row]!.stageIds.length,
        show: (row) => <Stages ids={rdds[row]!.stageIds} />,
        title: (row) => rdds[row]!.stageIds.join(', '),
      },
    ];
  }, [rdds, at, moment, model]);
  return <DataTable label="Cached RDDs" columns={columns} rows={rows} sort="peakMemory" maxHeight={480} />;
}

const shownStages = 6;

function Stages({ ids }: { ids: number[] }) {
  return (
    <>
      {ids.slice(0, shownStages).map((id, i) => (
        <span key={id}>
          {i > 0 && ', '}
          <SelectionLink title={`Show stage ${id}`} selection={{ stage: id }}>
            {id}
          </SelectionLink>
        </span>
      ))}
      {ids.length > shownStages && <span class="quiet"> and {ids.length - shownStages} more</span>}
    </>
  );
}
