// SPDX-License-Identifier: Apache-2.0
// Made-up nodes: what they used in the last hour of the fixture, with a gap, and their processes.
import type { NodeProcess, NodeProcesses, Nodes, Values } from '../src/server/nodes.ts';
import { generator } from './make_data.ts';

const hosts = ['node-1', 'node-2', 'node-3.example.com'];

export function makeNodes(from: number, to: number, spans: number): Nodes {
  const random = generator(8);
  const values = (base: number, swing: number, host: number): Values =>
    Array.from({ length: spans }, (_unused, i) =>
      host === 1 && i > spans / 2 && i < spans / 2 + 5 ? null : base + swing * random() * (host === 2 && i > spans / 3 ? 1 : 0.4),
    );
  return {
    from,
    to,
    spans,
    nodes: hosts.map((host, i) => ({
      host,
      cores: 8,
      memoryBytes: 32 * 2 ** 30,
      cpu: values(0.4, 7, i),
      memory: values(6e9, 2e10, i),
      disk: values(0, 4e8, i),
      network: values(1e6, 2e8, i),
    })),
    omitted: [],
  };
}

export function makeNodeProcesses(host: string, from: number, to: number, sort: string): NodeProcesses {
  const row = (
    pid: number,
    user: string,
    type: string,
    application: string,
    cores: number,
    maxRssBytes: number,
    command: string,
  ): NodeProcess => ({
    pid,
    user,
    type,
    application,
    executor: application && '1',
    name: command.split(' ')[0]!,
    command,
    startTime: from - 60e3,
    endTime: to,
    cpuSeconds: (cores * (to - from)) / 1e3,
    cores,
    maxRssBytes,
    readBytes: pid * 1e5,
    writeBytes: pid * 3e4,
  });
  const processes = [
    row(
      4711,
      'ana',
      'jvm_executor',
      'app-20261121100000-0000',
      3.1,
      4e9,
      'java org.apache.spark.executor.YarnCoarseGrainedExecutorBackend --executor-id 1',
    ),
    row(4712, 'bo', 'other', '', 1.4, 2e8, 'cc1plus -quiet'),
    row(88, 'root', 'yarn', '', 0.02, 9e9, 'java org.apache.hadoop.yarn.server.nodemanager.NodeManager'),
  ];
  if (sort === 'memory') processes.sort((a, b) => b.maxRssBytes - a.maxRssBytes);
  return { host, total: 143, processes };
}
