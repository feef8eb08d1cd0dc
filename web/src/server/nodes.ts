// SPDX-License-Identifier: Apache-2.0
// What monitored hosts used, as the server answers it.

/** A value for each span; null where nothing was recorded. */
export type Values = (number | null)[];
export interface Node {
  host: string;
  cores: number;
  memoryBytes: number;
  cpu: Values;
  memory: Values;
  disk: Values;
  network: Values;
}
export interface Nodes {
  from: number;
  to: number;
  spans: number;
  nodes: Node[];
  omitted: { host: string; reason: string }[];
}
export interface NodeProcess {
  pid: number;
  type: string;
  user: string;
  application: string;
  executor: string;
  name: string;
  command: string;
  startTime: number;
  endTime: number;
  cpuSeconds: number;
  cores: number;
  maxRssBytes: number;
  readBytes: number;
  writeBytes: number;
}
export interface NodeProcesses {
  host: string;
  total: number;
  processes: NodeProcess[];
}

export const spans = 48;

/** The begin of a span, ms; whole, so that links are. */
export const startOf = ({ from, to }: { from: number; to: number }, span: number, count: number) =>
  Math.round(from + ((to - from) * span) / count);

/** The level of a cell's color: 0 to `levels`, -1 without a value. */
export function levelOf(value: number | null, most: number, levels: number): number {
  if (value === null) return -1;
  return most > 0 ? Math.min(levels, Math.ceil((Math.max(0, value) / most) * levels)) : 0;
}
