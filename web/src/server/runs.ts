// SPDX-License-Identifier: Apache-2.0
// Runs of suites as the server answers them, and what the pages make of them.

export interface Repeat {
  repeat: number;
  exitCode: number;
  startTime: number;
  seconds: number;
  cpuSeconds: number;
  maxRssBytes: number;
  maxima: Record<
    string,
    { processes: number; maxCpuPercent: number; maxRssBytes: number; maxPrivateBytes?: number; maxVirtualBytes?: number }
  >;
}
export interface JobResult {
  name: string;
  size: number | null;
  profiled: boolean;
  parameters: Record<string, string>;
  repeats: Repeat[];
}
export interface SuiteResults {
  jobs?: JobResult[];
  growth?: { job: string; measure: string; exponent: number; error: number }[];
}
export interface Run {
  id: number;
  startTime: number;
  endTime: number | null;
  suiteName: string;
  version: string;
  user: string;
  overallStatus: string;
  results?: SuiteResults;
}
export interface LogRow {
  msgTime?: number;
  msgType?: string;
  message?: string;
}
export interface ProcessRow {
  timeStamp?: number;
  monitor?: string;
  pid?: number;
  ppid?: number;
  type?: string;
  application?: string;
  cpuPercent?: number;
  rssBytes?: number;
  virtualBytes?: number;
  privateBytes?: number;
  readBytes?: number;
  writeBytes?: number;
  shortCommand?: string;
  command?: string;
}
export interface Rows<T> {
  rows: T[];
  total: number;
}

export function median(values: number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = sorted.length >> 1;
  return sorted.length % 2 === 1 ? sorted[middle]! : (sorted[middle - 1]! + sorted[middle]!) / 2;
}

export const jobLabel = ({ name, size }: JobResult): string => (size === null ? name : `${name}, size ${size}`);

export const unitOf = (measure: string): string =>
  measure.includes('Bytes') ? 'bytes' : measure.includes('Percent') ? 'percent' : 'seconds';

/** The values of the successful repeats by measure. */
export function measuresOf(job: JobResult): Map<string, number[]> {
  const measures = new Map<string, number[]>();
  const add = (name: string, value: number) => measures.set(name, [...(measures.get(name) ?? []), value]);
  for (const repeat of job.repeats) {
    if (repeat.exitCode !== 0) continue;
    add('seconds', repeat.seconds);
    add('cpuSeconds', repeat.cpuSeconds);
    add('maxRssBytes', repeat.maxRssBytes);
    for (const [type, most] of Object.entries(repeat.maxima)) {
      add(`maxRssBytes.${type}`, most.maxRssBytes);
      add(`maxCpuPercent.${type}`, most.maxCpuPercent);
      if (most.maxPrivateBytes !== undefined) add(`maxPrivateBytes.${type}`, most.maxPrivateBytes);
      if (most.maxVirtualBytes !== undefined) add(`maxVirtualBytes.${type}`, most.maxVirtualBytes);
    }
  }
  return measures;
}

export type Measure = 'cpuPercent' | 'virtualBytes' | 'rssBytes' | 'privateBytes';
export const processMeasures: { id: Measure; label: string }[] = [
  { id: 'cpuPercent', label: '% CPU' },
  { id: 'virtualBytes', label: 'Virtual' },
  { id: 'rssBytes', label: 'Resident' },
  { id: 'privateBytes', label: 'Private' },
];

/** One process from its first to its last reading. */
export interface Life {
  monitor: string;
  pid: number;
  ppid: number;
  type: string;
  application: string;
  command: string;
  start: number;
  end: number;
  depth: number;
  most: Partial<Record<Measure, number>>;
  readings: ProcessRow[];
}

/** A PID that another command uses later is another process, as is one that was silent for so long. */
const silence = 600e3;

/** The processes of readings, parents before their children. */
export function livesOf(rows: ProcessRow[]): Life[] {
  const current = new Map<string, Life>();
  const lives: Life[] = [];
  for (const row of [...rows].sort((a, b) => (a.timeStamp ?? 0) - (b.timeStamp ?? 0))) {
    const key = `${row.monitor} ${row.pid}`;
    const time = row.timeStamp ?? 0;
    let life = current.get(key);
    if (!life || life.ppid !== (row.ppid ?? 0) || time - life.end > silence) {
      life = {
        monitor: row.monitor ?? '',
        pid: row.pid ?? 0,
        ppid: row.ppid ?? 0,
        type: '',
        application: '',
        command: '',
        start: time,
        end: time,
        depth: 0,
        most: {},
        readings: [],
      };
      current.set(key, life);
      lives.push(life);
    }
    life.end = time;
    life.type = row.type ?? life.type;
    life.application = row.application || life.application;
    life.command = row.command || row.shortCommand || life.command;
    life.readings.push(row);
    for (const { id } of processMeasures) if (row[id] !== undefined) life.most[id] = Math.max(life.most[id] ?? 0, row[id]);
  }
  return inTree(lives);
}

function inTree(lives: Life[]): Life[] {
  const byPid = new Map<string, Life[]>();
  for (const life of lives) byPid.set(`${life.monitor} ${life.pid}`, [...(byPid.get(`${life.monitor} ${life.pid}`) ?? []), life]);
  const children = new Map<Life | null, Life[]>();
  for (const life of lives) {
    const parent =
      (byPid.get(`${life.monitor} ${life.ppid}`) ?? []).filter((other) => other !== life && other.start <= life.start).at(-1) ?? null;
    children.set(parent, [...(children.get(parent) ?? []), life]);
  }
  const ordered: Life[] = [];
  const visit = (parent: Life | null, depth: number) => {
    for (const life of children.get(parent) ?? []) {
      life.depth = depth;
      ordered.push(life);
      visit(life, depth + 1);
    }
  };
  visit(null, 0);
  return ordered;
}

export const languages = ['Java', 'Python'] as const;

/** The language of a process; nothing for a shell, or the profiler's own. */
export function languageOf({ type, command }: Life): (typeof languages)[number] | undefined {
  if (/python/i.test(type || command)) return 'Python';
  return /^(agent|other)$/.test(type) || !/java|^(jvm|application_master|shuffle_service|yarn|hdfs)/i.test(type || command)
    ? undefined
    : 'Java';
}

export interface TypeSummary {
  type: string;
  processes: number;
  most: Partial<Record<Measure, number>>;
  mean: Partial<Record<Measure, number>>;
}

/** Maximum and mean over all readings of the processes of each type. */
export function typesOf(lives: Life[]): TypeSummary[] {
  return [...new Set(lives.map(({ type }) => type))].sort().map((type) => {
    const own = lives.filter((life) => life.type === type);
    const summary: TypeSummary = { type, processes: own.length, most: {}, mean: {} };
    for (const { id } of processMeasures) {
      const values = own.flatMap(({ readings }) => readings.map((row) => row[id])).filter((value) => value !== undefined);
      if (values.length === 0) continue;
      summary.most[id] = values.reduce((a, b) => Math.max(a, b));
      summary.mean[id] = values.reduce((a, b) => a + b, 0) / values.length;
    }
    return summary;
  });
}

export interface NodeCells {
  node: string;
  cpu: number[];
  memory: number[];
  disk: number[];
}

/**
 * Resources that the processes of each node used in each of `count` spans of time: CPU as the mean of the sums of %, memory as the highest sum
 * in bytes, disk as bytes read and written.
 */
export function nodeCells(lives: Life[], from: number, to: number, count: number): NodeCells[] {
  const span = Math.max(1, (to - from) / count);
  return [...new Set(lives.map(({ monitor }) => monitor))].sort().map((node) => {
    const cells: NodeCells = { node, cpu: Array(count).fill(0), memory: Array(count).fill(0), disk: Array(count).fill(0) };
    const sums = new Map<number, { cpu: number; memory: number }>();
    for (const life of lives) {
      if (life.monitor !== node) continue;
      let bytes: number | null = null;
      for (const row of life.readings) {
        const time = row.timeStamp ?? 0;
        const sum = sums.get(time) ?? { cpu: 0, memory: 0 };
        sums.set(time, { cpu: sum.cpu + (row.cpuPercent ?? 0), memory: sum.memory + (row.rssBytes ?? 0) });
        const now = (row.readBytes ?? 0) + (row.writeBytes ?? 0);
        const cell = Math.min(count - 1, Math.floor((time - from) / span));
        if (bytes !== null) cells.disk[cell]! += Math.max(0, now - bytes);
        bytes = now;
      }
    }
    const readings = Array(count).fill(0) as number[];
    for (const [time, sum] of sums) {
      const cell = Math.min(count - 1, Math.floor((time - from) / span));
      readings[cell]!++;
      cells.cpu[cell]! += sum.cpu;
      cells.memory[cell] = Math.max(cells.memory[cell]!, sum.memory);
    }
    cells.cpu = cells.cpu.map((sum, i) => (readings[i]! > 0 ? sum / readings[i]! : 0));
    return cells;
  });
}

/** Differences between two runs besides their measures: "version 1 → 2". */
export function whatChanged(before: Run, after: Run, job: string): string[] {
  const changes: string[] = [];
  const add = (name: string, a: string, b: string) => {
    if (a !== b) changes.push(`${name} ${a || '(none)'} → ${b || '(none)'}`);
  };
  add('version', before.version, after.version);
  const [a, b] = [before, after].map(({ results }) => results?.jobs?.find((other) => other.name === job));
  if (!a || !b) return changes;
  for (const name of new Set([...Object.keys(a.parameters), ...Object.keys(b.parameters)]))
    add(name, a.parameters[name] ?? '', b.parameters[name] ?? '');
  add('size', String(a.size ?? ''), String(b.size ?? ''));
  add('profiled', String(a.profiled), String(b.profiled));
  return changes;
}
