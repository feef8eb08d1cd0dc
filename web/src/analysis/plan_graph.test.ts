// SPDX-License-Identifier: Apache-2.0
import { expect, it } from 'vitest';
import type { PlanNode } from '../data/contract.ts';
import { isSampled, layOutPlan, ownTime } from './plan_graph.ts';

const node = (name: string, stages: number[], ...children: PlanNode[]): PlanNode => ({ name, stages, children });

const plan = node(
  'AdaptiveSparkPlan',
  [],
  node(
    'WholeStageCodegen (3)',
    [9],
    node(
      'Project',
      [],
      node(
        'BroadcastHashJoin',
        [9],
        node('InputAdapter', [], node('Exchange', [7, 9], node('WholeStageCodegen (1)', [7], node('Scan parquet a', [7])))),
        node('BroadcastExchange', [], node('WholeStageCodegen (2)', [], node('Scan parquet b', [5]))),
      ),
    ),
  ),
);

it('leaves wrappers out and puts what they wrap in their place', () => {
  const { nodes } = layOutPlan(plan);
  expect(nodes.map((one) => one.node.name)).toEqual([
    'AdaptiveSparkPlan',
    'Project',
    'BroadcastHashJoin',
    'Exchange',
    'Scan parquet a',
    'BroadcastExchange',
    'Scan parquet b',
  ]);
  expect(nodes.map((one) => one.codegen)).toEqual(['', '3', '3', '', '1', '', '2']);
});

it('leaves out the stages of engines, which wrap their operators', () => {
  const { nodes } = layOutPlan(
    node('PhotonResultStage', [], node('PhotonAgg', [], node('WholeStageCodegenTransformer (2)', [], node('SortExecTransformer', [])))),
  );
  expect(nodes.map((one) => [one.node.name, one.codegen])).toEqual([
    ['PhotonAgg', ''],
    ['SortExecTransformer', '2'],
  ]);
});

it('puts the first child below its parent and the others in columns of their own', () => {
  const { nodes, columns, rows } = layOutPlan(plan);
  expect(nodes.map(({ column, row }) => [column, row])).toEqual([
    [0, 0],
    [0, 1],
    [0, 2],
    [0, 3],
    [0, 4],
    [1, 3],
    [1, 4],
  ]);
  expect([columns, rows]).toEqual([2, 5]);
  expect(nodes.map(({ parent }) => parent)).toEqual([-1, 0, 1, 2, 3, 2, 5]);
});

it('finds the stage that runs a node, the writing one of an exchange', () => {
  expect(layOutPlan(plan).nodes.map(({ stage }) => stage)).toEqual([9, 9, 9, 7, 7, 5, 5]);
});

it('counts wrappers, as Spark’s REST API does, and shows what operators cost themselves', () => {
  const { nodes } = layOutPlan({
    name: 'WholeStageCodegen (1)',
    metrics: [{ name: 'duration', value: 9e9, unit: 'ns' }],
    children: [{ name: 'Sort', cpuNs: 2e9, waitNs: 1e9, rowsOut: 7 }],
  });
  expect(nodes).toMatchObject([{ number: 1, time: 3e9, rows: 7 }]);
});

it('shows elapsed time where no sample gives CPU time, and never adds the two', () => {
  expect(ownTime({ name: 'Sort', cpuNs: 2, elapsedNs: 9, waitNs: 1 })).toBe(3);
  expect(ownTime({ name: 'Sort', elapsedNs: 9 })).toBe(9);
  expect(ownTime({ name: 'GpuScan parquet', elapsedNs: 9, gpuNs: 4 })).toBe(4);
  expect(isSampled({ name: 'Project', children: [{ name: 'Sort', elapsedNs: 9 }] })).toBe(false);
  expect(isSampled({ name: 'Project', children: [{ name: 'Sort', cpuNs: 9 }] })).toBe(true);
});

it('takes a plan of which nothing is known', () => {
  expect(layOutPlan({ name: 'LocalTableScan' })).toMatchObject({ columns: 1, rows: 1, nodes: [{ stage: -1, time: 0, rows: null }] });
});
