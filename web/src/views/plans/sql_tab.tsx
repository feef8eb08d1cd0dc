// SPDX-License-Identifier: Apache-2.0
import { useMemo } from 'preact/hooks';
import type { PlanNode, SqlExecution } from '../../data/contract.ts';
import { placesFound } from '../../analysis/search.ts';
import { ranIn } from '../../analysis/selection.ts';
import { lasted } from '../../data/model.ts';
import { saveCsv } from '../../state/csv.ts';
import { usePart, useStore } from '../../state/store.ts';
import { costColumn } from '../cost_column.ts';
import { amountColumn, clockColumn } from '../columns.tsx';
import { DataTable, withValues, type Column } from '../data_table.tsx';
import { FilteredRows } from '../filter_notes.tsx';
import { LongName } from '../long_name.tsx';
import { PlanFallbacks } from './plan_fallbacks.tsx';
import { PlanPicture } from './plan_picture.tsx';
import { PlanTree } from './plan_tree.tsx';
import { StageGraph } from '../stages/stage_graph.tsx';
import { StatusMark } from '../status_mark.tsx';
import { callOf } from '../text.ts';

const jobsOf = ({ runningJobIds, successJobIds, failedJobIds }: SqlExecution) =>
  [...runningJobIds, ...successJobIds, ...failedJobIds].sort((a, b) => a - b);

const longest = (sql: SqlExecution[]) =>
  sql.reduce<SqlExecution | undefined>((most, one) => (most && lasted(most) >= lasted(one) ? most : one), undefined);

/** Changes by adaptive execution while the query ran. */
function PlanVersions({ execution: { planVersions } }: { execution: SqlExecution }) {
  if (planVersions.length === 0) return null;
  return (
    <details class="note plan-versions">
      <summary>Adaptive execution changed the plan {planVersions.length === 1 ? 'once' : `${planVersions.length} times`}</summary>
      <ol>
        {planVersions.map(({ afterStage, changes }, at) => (
          <li key={at}>
            {afterStage !== null ? `After stage ${afterStage}: ` : ''}
            {changes.join(', ')}
          </li>
        ))}
      </ol>
    </details>
  );
}

const operatorNumbers = ['cpuNs', 'waitNs', 'elapsedNs', 'gpuNs', 'nativeNs', 'inclusiveNs', 'rowsIn', 'rowsOut', 'spillBytes'] as const;

function saveOperators(sql: number, plan: PlanNode): void {
  const rows: (string | number)[][] = [];
  const add = (node: PlanNode) => {
    if (node.operator)
      rows.push([node.name, node.text ?? '', node.stages?.join(' ') ?? '', ...operatorNumbers.map((key) => node[key] ?? '')]);
    node.children?.forEach(add);
  };
  add(plan);
  saveCsv(`operators of SQL ${sql}`, ['operator', 'text', 'stages', ...operatorNumbers], rows);
}

/** px; the plan gets the rest of the window */
const listHeight = 126;

export function SqlTab() {
  const store = useStore();
  const { sql } = store.model.report;
  const { sql: chosen, tag, search, from, to } = store.selection.value;
  const [list, setList] = usePart('list');
  const asList = list !== '';
  const rows = useMemo(() => {
    return placesFound(
      sql.map(({ description }) => callOf(description)),
      search,
    ).filter(
      (row) =>
        (tag === undefined || jobsOf(sql[row]!).some((id) => store.model.jobById.get(id)?.jobTags.includes(tag))) &&
        ranIn(store.model, { from, to }, sql[row]!),
    );
  }, [sql, tag, search, from, to]);
  const columns = useMemo<Column[]>(
    () =>
      withValues(
        new Set(['cost']),
        [...sql.keys()],
        [
          { id: 'id', label: 'SQL', width: '64px', value: (row) => sql[row]!.id },
          {
            id: 'description',
            label: 'Description',
            text: true,
            value: (row) => callOf(sql[row]!.description),
            show: (row) => (
              <>
                <StatusMark status={sql[row]!.status} />
                <LongName text={callOf(sql[row]!.description)} />
              </>
            ),
            title: (row) => sql[row]!.description,
          },
          clockColumn(
            'begin',
            'Begin',
            (row) => store.model.since(sql[row]!.submissionTime),
            (ms) => store.dateAt(ms),
            '78px',
          ),
          amountColumn('duration', 'Duration', 'ns', (row) => lasted(sql[row]!) * 1e6, '96px'),
          {
            id: 'jobs',
            label: 'Jobs',
            width: '110px',
            value: (row) => jobsOf(sql[row]!).length,
            show: (row) => jobsOf(sql[row]!).join(', '),
            title: (row) => jobsOf(sql[row]!).join(', '),
          },
          costColumn(sql, store.model.report),
        ],
      ),
    [sql, store],
  );
  const execution = chosen === undefined ? longest(sql) : store.model.sqlById.get(chosen);
  return (
    <div class="sql">
      <FilteredRows shown={rows.length} total={sql.length} what="SQL executions" filters={['tag', 'time', 'search']} />
      <DataTable
        label="SQL executions"
        columns={columns}
        rows={rows}
        sort="duration"
        maxHeight={sql.length > 1 ? listHeight : 60}
        isSelected={(row) => sql[row] === execution}
        href={(row) => store.hrefWith({ sql: sql[row]!.id })}
        pick={(row) => store.select({ sql: sql[row]!.id })}
      />
      {execution ? (
        <section aria-label={`Plan of SQL ${execution.id}`}>
          <div class="section-bar">
            <h2>
              SQL {execution.id} <span class="quiet">{callOf(execution.description)}</span>
            </h2>
            {execution.plan && (
              <button class="toggle" aria-pressed={asList} onClick={() => setList(asList ? '' : '1')}>
                As a list
              </button>
            )}
            {execution.plan && (
              <button title="Save the operators as CSV, with exact numbers" onClick={() => saveOperators(execution.id, execution.plan!)}>
                CSV
              </button>
            )}
            {store.model.report.events.length > 0 && <button onClick={() => store.show({ sql: execution.id })}>Flame graph</button>}
            <button onClick={() => store.select({ sql: execution.id }, { tab: 'stages' })}>Stages</button>
          </div>
          <StageGraph jobs={jobsOf(execution)} />
          {execution.plan && <PlanFallbacks plan={execution.plan} />}
          {execution.plan ? (
            asList ? (
              <PlanTree key={execution.id} plan={execution.plan} />
            ) : (
              <PlanPicture key={execution.id} plan={execution.plan} sql={execution.id} />
            )
          ) : (
            <p class="quiet note">This recording has no plan for the execution: the event SparkListenerSQLExecutionStart is missing.</p>
          )}
          <PlanVersions execution={execution} />
        </section>
      ) : (
        <p class="quiet note">SQL {chosen} is not in this recording.</p>
      )}
    </div>
  );
}
