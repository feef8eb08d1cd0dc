// SPDX-License-Identifier: Apache-2.0
// What is known of one node of a plan, and the ways from it to the stages that ran it.
import type { GraphNode } from '../../analysis/plan_graph.ts';
import type { PlanMetric } from '../../data/contract.ts';
import { amount, exact } from '../../state/format.ts';
import { useStore } from '../../state/store.ts';

export function PlanNodeDetails({ one, sql }: { one: GraphNode; sql: number }) {
  const store = useStore();
  const { report } = store.model;
  const stages = one.node.stages?.length ? one.node.stages : one.stage >= 0 ? [one.stage] : [];
  const rows = stages.flatMap((id) => {
    const row = report.stages.findLastIndex((stage) => stage.stageId === id);
    return row >= 0 ? [report.stages[row]!] : [];
  });
  return (
    <aside class="details plan-details" aria-label="Plan node" aria-live="polite">
      <h2>{one.node.name}</h2>
      {one.node.text && one.node.text !== one.node.name && (
        <p class="code plan-code" tabIndex={0}>
          {one.node.text}
        </p>
      )}
      {rows.length === 0 ? (
        <p class="quiet">No metrics link this node to a stage.</p>
      ) : (
        rows.map((stage) => (
          <p key={stage.stageId}>
            <b>Stage {stage.stageId}</b>
            {stage.attemptId > 0 && ` attempt ${stage.attemptId}`}
            <span class="quiet">
              {' '}
              {stage.numTasks} {stage.numTasks === 1 ? 'task' : 'tasks'}
              {stage.totals.executorRunTimeNs ? `, ${amount(stage.totals.executorRunTimeNs, 'ns')} of run time` : ''}
            </span>
            <br />
            {report.events.length > 0 && (
              <button onClick={() => store.show({ sql, stage: stage.stageId, stageAttempt: stage.attemptId })}>Flame graph</button>
            )}{' '}
            <button
              onClick={() =>
                store.select(
                  { sql, stage: stage.stageId, stageAttempt: stage.attemptId },
                  { tab: 'stages', tasksOf: `${stage.stageId}.${stage.attemptId}` },
                )
              }>
              Tasks
            </button>
          </p>
        ))
      )}
      <OwnCost one={one} sql={sql} />
      {one.node.metrics?.length ? <h3>Spark’s metrics</h3> : null}
      <Metrics metrics={one.node.metrics ?? []} />
      {one.codegen && <h3>Whole-stage code generation {one.codegen}</h3>}
      <Metrics metrics={one.wrapperMetrics} />
    </aside>
  );
}

function OwnCost({ one: { node, number }, sql }: { one: GraphNode; sql: number }) {
  const store = useStore();
  if (node.operator === undefined) return null;
  const figures = [
    { name: 'CPU time', value: node.cpuNs, unit: 'ns' },
    { name: 'Waiting', value: node.waitNs, unit: 'ns' },
    { name: 'Elapsed, by Spark’s metric', value: node.elapsedNs, unit: 'ns' },
    { name: 'GPU, by RAPIDS', value: node.gpuNs, unit: 'ns' },
    { name: 'Native engine', value: node.nativeNs, unit: 'ns' },
    { name: 'Elapsed, with operators below', value: node.inclusiveNs, unit: 'ns' },
    { name: 'Rows in', value: node.rowsIn, unit: 'count' },
    { name: 'Rows out', value: node.rowsOut, unit: 'count' },
    { name: 'Spilled', value: node.spillBytes || undefined, unit: 'bytes' },
  ];
  return (
    <>
      <h3>The operator itself</h3>
      <Metrics metrics={figures.flatMap(({ name, value, unit }) => (value === undefined ? [] : [{ name, value, unit }]))} />
      {node.fallback && (
        <p class="quiet">
          The engine leaves it to Spark
          {node.fallback.costNs !== undefined && ` (${amount(node.fallback.costNs, 'ns')} with conversions of rows)`}
          {node.fallback.reason && `: ${node.fallback.reason}`}
        </p>
      )}
      {!!node.cpuNs && (
        <p>
          <button onClick={() => store.show({ sql, node: number, event: 'cpu' })}>Flame graph of the operator</button>
        </p>
      )}
    </>
  );
}

function Metrics({ metrics }: { metrics: PlanMetric[] }) {
  return (
    <dl class="numbers">
      {metrics.map(({ name, value, unit }) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd title={exact(value, unit)}>{amount(value, unit)}</dd>
        </div>
      ))}
    </dl>
  );
}
