// SPDX-License-Identifier: Apache-2.0
// Each quantity is the same wherever it stands: the page, the terminal, --json, REST, agents' answers, fleets and the collector's lists.
// Needs SPARKPROF_BIN. Inputs are made here; with SPARKPROF_SLOW_TESTS=1 also the event logs and recordings of SPARKPROF_SHARED_DATA and
// SPARKPROF_INPUTS, a list with colons.
import { existsSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import type { Page } from 'playwright-core';
import { afterAll, describe, expect, it } from 'vitest';
import { on, pathOf, wide } from './ask.ts';
import { eventLog } from './make_event_log.ts';
import { type Collector, Command, type Places, type Row } from './places.ts';
import { Quantities } from './quantities.ts';
import { repeated } from './repeat_event_log.ts';

const program = process.env.SPARKPROF_BIN;
const fewest = 80; // quantities that stand in two places, over all inputs
const mostTasks = 500; // of one stage, which Spark's REST API is asked for
const nanosPerMilli = 1e6;

/** Metrics of tasks by the names of reports, and of Spark's REST API with what they are multiplied by there. */
const metrics: Record<string, [name: string, scale: number]> = {
  durationNs: ['duration', nanosPerMilli],
  executorRunTimeNs: ['executorRunTime', nanosPerMilli],
  executorCpuTimeNs: ['executorCpuTime', 1],
  deserializeTimeNs: ['executorDeserializeTime', nanosPerMilli],
  deserializeCpuTimeNs: ['executorDeserializeCpuTime', 1],
  gcTimeNs: ['jvmGcTime', nanosPerMilli],
  resultSerializationTimeNs: ['resultSerializationTime', nanosPerMilli],
  gettingResultTimeNs: ['gettingResultTime', nanosPerMilli],
  schedulerDelayNs: ['schedulerDelay', nanosPerMilli],
  resultSizeBytes: ['resultSize', 1],
  peakExecutionMemoryBytes: ['peakExecutionMemory', 1],
  memorySpilledBytes: ['memoryBytesSpilled', 1],
  diskSpilledBytes: ['diskBytesSpilled', 1],
  inputBytes: ['inputBytes', 1],
  inputRecords: ['inputRecords', 1],
  outputBytes: ['outputBytes', 1],
  outputRecords: ['outputRecords', 1],
  shuffleReadBytes: ['shuffleReadBytes', 1],
  shuffleRemoteBytes: ['shuffleRemoteBytesRead', 1],
  shuffleReadRecords: ['shuffleReadRecords', 1],
  shuffleFetchWaitNs: ['shuffleFetchWaitTime', nanosPerMilli],
  shuffleWriteBytes: ['shuffleWriteBytes', 1],
  shuffleWriteRecords: ['shuffleWriteRecords', 1],
  shuffleWriteTimeNs: ['shuffleWriteTime', 1],
};

const numberOf = (value: unknown) => (typeof value === 'number' ? value : 0);
const sumOf = (rows: readonly Row[], column: string) => rows.reduce((sum, row) => sum + numberOf(row[column]), 0);
const stageOf = (row: Row) => `${String(row.stageId)}.${String(row.attemptId ?? 0)}`;
const lineOf = (lines: string[], label: string) => lines.find((line) => line.trimStart().startsWith(label)) ?? '';
/** "12,447 tasks (112 failed)" -> "12,447" */
const countOf = (line: string, what: RegExp) => new RegExp(`([\\d,]+) ${what.source}`).exec(line)?.[1];
/** Rows of Spark's REST API, with times as numbers, up to the application's end: what stops with it may end a moment later. */
const rowsOfSpark = (rows: Row[] | null, end: number): Row[] =>
  (rows ?? []).map((row) => {
    const times = Object.entries(row).map(([name, value]): [string, unknown] => {
      const time = /Time$/.test(name) && typeof value === 'string' ? Date.parse(value.replace('GMT', 'Z')) : null;
      return [name, time === null ? value : Math.min(time, end)];
    });
    const { submissionTime, launchTime, duration, ...others } = Object.fromEntries(times);
    const begin = submissionTime ?? launchTime;
    const cut = typeof duration === 'number' && typeof begin === 'number' ? Math.min(duration, end - begin) : duration;
    return { ...others, submissionTime, launchTime, duration: cut };
  });

function ofApplication(seen: Quantities, { tables, analyzed, terminal, compared, tuned, agents, report, findings, fleet }: Places): void {
  const listed = tables.applications.find(({ id }) => id === analyzed.id)!;
  const before = (compared?.before ?? {}) as Row;
  const [first = '', verdict = ''] = terminal;
  const summary = analyzed.summary as { applications: Row[]; counts: Row; verdict: string; account: { wall: Row[]; core: Row[] | null } };
  const { application } = report;

  seen.add('duration, ms', 'show applications', listed.duration);
  seen.add('duration, ms', 'analyze --json', analyzed.durationMs);
  seen.add('duration, ms', 'compare --json', before.durationMs);
  seen.add('duration, ms', 'report', application.endTime - application.startTime);
  seen.add('start', 'show applications', listed.startTime);
  seen.add('start', 'analyze --json', summary.applications[0]!.startTime);
  seen.add('start', 'compare --json', before.startTime);
  seen.add('start', 'report', application.startTime);
  seen.add('end', 'show applications', listed.endTime);
  seen.add('end', 'analyze --json', summary.applications[0]!.endTime);
  seen.add('end', 'report', application.endTime);
  seen.add('name', 'show applications', listed.name);
  seen.add('name', 'analyze --json', analyzed.name);
  seen.add('name', 'report', application.name);
  seen.add('Spark version', 'analyze --json', summary.applications[0]!.sparkVersion);
  seen.add('Spark version', 'compare --json', before.sparkVersion);
  seen.add('Spark version', 'report', application.sparkVersion);
  seen.add('outcome', 'terminal', / · ([^·]+)$/.exec(first)?.[1]);
  seen.add('outcome', 'report', application.outcome);
  seen.add('verdict', 'analyze --json', summary.verdict);
  seen.add('verdict', 'show applications', listed.verdict);
  seen.add('verdict', 'report', report.summary.verdict);
  seen.add('verdict', 'terminal', verdict);
  seen.add('verdict', 'diagnose', /^Verdict: «(.*)» \[/m.exec(agents.diagnose ?? '')?.[1]?.replaceAll('\\', ''));
  seen.add('duration, ns', 'show applications', numberOf(listed.duration) * nanosPerMilli);
  seen.addText('duration, ns', 'terminal', / · ([\d.]+ (?:ms|s|min|h)) · /.exec(first)?.[1]);
  seen.addText('duration, ns', 'find_applications', / · ([\d.]+ (?:ms|s|min|h)) · /.exec(agents.find_applications ?? '')?.[1]);
  seen.addText('duration, ns', 'verdict', /^([\d.]+ (?:ms|s|min|h))[ ,.]/.exec(summary.verdict)?.[1]);

  const work = lineOf(terminal, 'Work ');
  seen.add('jobs', 'show jobs', tables.jobs.length);
  seen.add('jobs', 'analyze --json', summary.counts.jobs);
  seen.addText('jobs', 'terminal', countOf(work, /jobs?/));
  seen.add('failed jobs', 'show jobs', tables.jobs.filter(({ status }) => status === 'FAILED').length);
  seen.add('failed jobs', 'terminal', Number(/jobs? \((\d+) failed/.exec(work)?.[1] ?? 0));
  seen.add('stages', 'show stages', tables.stages.length);
  seen.add('stages', 'analyze --json', summary.counts.stages);
  seen.addText('stages', 'terminal', countOf(work, /stages?/));
  seen.add('tasks', 'show tasks', tables.tasks.length);
  seen.add('tasks', 'analyze --json', summary.counts.tasks);
  seen.add('tasks', 'compare --json', before.tasks);
  seen.add('tasks', 'show executors', tables.tasks.every(({ executorId }) => executorId) ? sumOf(tables.executors, 'totalTasks') : null);
  seen.addText('tasks', 'terminal', countOf(work, /tasks?/));
  seen.add('failed tasks', 'show tasks', failedTasks(tables));
  seen.add('failed tasks', 'terminal', Number(/tasks? \((\d+) failed/.exec(work)?.[1] ?? 0));
  seen.add('tasks that failed or ran again', 'show stages', sumOf(tables.stages, 'numFailedTasks'));
  seen.add(
    'tasks that failed or ran again',
    'terminal',
    Number(/tasks? \((?:.*?)(\d+) failed/.exec(work)?.[1] ?? 0) + Number(/(\d+) ran again/.exec(work)?.[1] ?? 0),
  );
  seen.add('executors', 'analyze --json', summary.counts.executors);
  seen.add('executors', 'compare --json', before.executors);
  seen.addText('executors', 'terminal', countOf(first, /executors?/));
  seen.addText('executors', 'diagnose', /executors (\d+)/.exec(agents.diagnose ?? '')?.[1]);
  seen.add('cores', 'compare --json', before.cores);
  seen.addText('cores', 'terminal', countOf(first, /cores?/));
  seen.addText('cores', 'diagnose', /cores (\d+)/.exec(agents.diagnose ?? '')?.[1]);

  for (const [quantity, comparedBy, column, scale] of [
    ['task time, ms', 'taskMs', 'duration', 1],
    ['CPU time of tasks, ms', 'cpuMs', 'executorCpuTime', 1 / nanosPerMilli],
    ['GC time of tasks, ms', 'gcMs', 'jvmGcTime', 1],
    ['input', 'inputBytes', 'inputBytes', 1],
    ['shuffle read', 'shuffleReadBytes', 'shuffleReadBytes', 1],
    ['shuffle written', 'shuffleWriteBytes', 'shuffleWriteBytes', 1],
    ['spilled to disk', 'spilledBytes', 'diskBytesSpilled', 1],
  ] as const) {
    seen.add(quantity, 'compare --json', before[comparedBy]);
    seen.add(quantity, 'show tasks', sumOf(tables.tasks, column), { scale });
    if (column !== 'duration') seen.add(quantity, 'show stages', sumOf(tables.stages, column), { scale });
  }
  for (const [quantity, column] of [
    ['task time, ms', 'totalDuration'],
    ['GC time of tasks, ms', 'totalGCTime'],
    ['input', 'totalInputBytes'],
    ['shuffle read', 'totalShuffleRead'],
    ['shuffle written', 'totalShuffleWrite'],
  ] as const) {
    if (tables.tasks.length > 0 && tables.tasks.every(({ executorId }) => executorId)) {
      seen.add(quantity, 'show executors', sumOf(tables.executors, column));
      seen.add(quantity, 'show hosts', sumOf(tables.hosts, column));
    }
  }

  seen.add('findings', 'compare --json', before.findings);
  seen.add('findings', 'analyze --json', (analyzed.findings as Row[]).length);
  seen.add('findings', 'report', report.findings.length);
  seen.add('findings', 'findings --json', findings.length);
  for (const finding of report.findings) {
    const row = finding.id;
    for (const [place, rows] of [
      ['findings --json', findings],
      ['analyze --json', analyzed.findings as Row[]],
      ['report', report.findings as unknown as Row[]],
    ] as const) {
      const own = rows.find(({ id }) => id === row);
      for (const column of ['title', 'severity', 'confidence', 'saving', 'what', 'measured', 'change'] as const)
        seen.add(`finding: ${column}`, place, own?.[column], { row });
      const saving = own?.savingMs as { low: number; high: number } | undefined;
      seen.add('finding: low saving, ms', place, saving?.low, { row });
      seen.add('finding: high saving, ms', place, saving?.high, { row });
    }
  }

  const driver = summary.account.wall.filter(({ part }) => !/^stage |smaller parts$/.test(String(part)));
  if (!summary.account.wall.some(({ part }) => String(part).includes('smaller parts')))
    seen.add('time outside stages, ms', 'analyze --json', sumOf(driver, 'ms'), { within: driver.length });
  seen.add('time outside stages, ms', 'compare --json', before.driverMs);
  seen.add('wall time, ms', 'account', sumOf(summary.account.wall, 'ms'), { within: summary.account.wall.length });
  seen.add('wall time, ms', 'show applications', summary.account.wall.length > 0 ? listed.duration : null);

  const went = lineOf(terminal, 'Where it went');
  const coreTime = report.timeSpent.reduce((sum, { ns }) => sum + ns, 0);
  if (coreTime > 0) {
    seen.add('core time, ns', 'report', coreTime);
    seen.addText('core time, ns', 'terminal', /([\d.]+ \w+) of core time/.exec(went)?.[1]);
    if (summary.account.core)
      seen.add('core time, ns', 'account', sumOf(summary.account.core, 'ms') * nanosPerMilli, {
        within: summary.account.core.length * nanosPerMilli,
      });
    const shares = went.slice(went.indexOf(': ') + 2).split(', ');
    for (const { name, share } of report.timeSpent) {
      const text = shares.find((part) => part.startsWith(`${name} `));
      if (!text) continue;
      seen.add('share of core time', 'report', share, { row: name });
      seen.addText('share of core time', 'terminal', text.slice(name.length), name);
    }
  }
  const { peak, mean, timeAtMs } = analyzed.concurrency as { peak: number; mean: number; timeAtMs: number[] };
  const concurrency = lineOf(terminal, 'Concurrency');
  if (concurrency) {
    seen.add('tasks at once', 'analyze --json', peak);
    seen.addText('tasks at once', 'terminal', /up to ([\d,]+)/.exec(concurrency)?.[1]);
    seen.add('tasks at once, mean', 'analyze --json', mean);
    seen.addText('tasks at once, mean', 'terminal', /([\d.]+) on average/.exec(concurrency)?.[1]);
    seen.add('time without a task, ns', 'analyze --json', timeAtMs[0]! * nanosPerMilli);
    seen.addText('time without a task, ns', 'terminal', /none for ([\d.]+ \w+)/.exec(concurrency)?.[1]);
    seen.add('time without a task, share', 'analyze --json', timeAtMs[0]! / numberOf(listed.duration));
    seen.addText('time without a task, share', 'terminal', /\(([\d.]+%)\)/.exec(concurrency)?.[1]);
  }
  const recorded = tuned?.recorded as Row | undefined;
  seen.add('duration, ms', 'tune --json', recorded?.durationMs);
  const { cost } = application as { cost?: { total: number; tasks: number } };
  seen.add('cost', 'report', cost?.total);
  seen.add('cost', 'compare --json', (before.cost as Row | undefined)?.total);
  seen.add('cost of tasks', 'report', cost?.tasks);
  seen.add('cost of tasks', 'compare --json', (before.cost as Row | undefined)?.tasks);

  if (fleet && fleet.id.length === 1) {
    seen.add('duration, ms', 'fleet', fleet.durationMs[0]);
    seen.add('start', 'fleet', fleet.start[0]);
    seen.add('user', 'fleet', fleet.values.user[0]);
    seen.add('user', 'show applications', listed.sparkUser);
    seen.add('user', 'report', (application as { user?: string }).user);
    seen.add('Spark version', 'fleet', fleet.values.sparkVersion[0]);
    seen.add('input', 'fleet', fleet.inputBytes[0] ?? 0);
    seen.add('cost', 'fleet', fleet.cost[0], { within: 0.00005 });
    seen.add('core-hours', 'fleet', fleet.core[0], { within: 0.00005 });
    seen.add('core-hours', 'tune --json', recorded?.coreHours);
    seen.add('GB-hours', 'fleet', fleet.gb[0], { within: 0.00005 });
    seen.add('GB-hours', 'tune --json', recorded?.gbHours);
    for (const { name, bytes, queries, core } of fleet.tables) {
      const own = tables.datasets.filter((row) => nameOf(row) === name);
      if (own.length === 0) seen.add('dataset', 'show datasets', 'none', { row: name });
      seen.add('dataset', 'fleet', own.length === 0 ? 'one' : null, { row: name });
      seen.add('bytes read of a dataset', 'fleet', bytes, { row: name });
      seen.add('bytes read of a dataset', 'show datasets', own[0]?.bytesRead ?? null, { row: name });
      seen.add('queries that read a dataset', 'fleet', queries, { row: name });
      seen.add('queries that read a dataset', 'show datasets', own[0]?.reads, { row: name });
      seen.add('run time of the reads of a dataset, ms', 'fleet', core, { row: name, scale: 3.6e6, within: 1 });
      seen.add('run time of the reads of a dataset, ms', 'show datasets', own[0]?.readRunTime, { row: name });
    }
    const spilled = fleet.queries.reduce((sum, query) => sum + (query.spilledBytes ?? 0), 0);
    if (tables.stages.every(({ sqlExecutionId }) => sqlExecutionId !== null)) seen.add('spilled to disk', 'fleet', spilled);
  }
}

/** A dataset's name as in the fleet: that in the catalog, else the place. */
function nameOf(dataset: Row): string {
  const { table, namespace, name } = dataset as { table: string | null; namespace: string | null; name: string };
  if (table) return table;
  return !namespace || namespace === 'file' ? name : `${namespace}${name.startsWith('/') ? '' : '/'}${name}`;
}

function ofTables(seen: Quantities, { tables, report, compared, agents }: Places): void {
  const shown = (table: keyof Places['tables'], key: (row: never) => unknown) => seen.addTable(table, `show ${table}`, tables[table], key);
  const paged = (table: string, rows: readonly object[], key: (row: never) => unknown) => seen.addTable(table, 'report', rows, key);
  shown('jobs', ({ jobId }: Row) => jobId);
  paged('jobs', report.jobs, ({ jobId }: Row) => jobId);
  shown('stages', stageOf);
  paged('stages', report.stages, stageOf);
  shown('sql', ({ id }: Row) => id);
  paged('sql', report.sql, ({ id }: Row) => id);
  shown('executors', ({ id }: Row) => id);
  paged('executors', report.executors, ({ id }: Row) => id);
  shown('storage', ({ id }: Row) => id);
  paged('storage', report.storage ?? [], ({ id }: Row) => id);
  for (const [place, rows] of [
    ['show executors', tables.executors],
    ['report', report.executors as unknown as Row[]],
  ] as const) {
    for (const row of rows)
      for (const [name, value] of Object.entries((row.peakMemoryMetrics as Row | undefined) ?? {}))
        seen.add(`executors: peak ${name}`, place, value, { row: String(row.id) });
  }
  shown('tasks', ({ taskId }: Row) => taskId);
  const { tasks } = report;
  for (const [metric, [name, scale]] of Object.entries(metrics)) {
    // a stage has a duration of its own beside that of its tasks
    for (const stage of name === 'duration' ? [] : report.stages) {
      const own = tables.stages.find((row) => stageOf(row) === stageOf(stage as unknown as Row));
      seen.add(`stages: ${name}`, 'totals of the report', stage.totals?.[metric] ?? (own?.[name] === null ? null : 0), {
        row: stageOf(stage as unknown as Row),
        scale: 1 / scale,
      });
    }
    const column = (tasks as unknown as Record<string, Float64Array | undefined>)[metric];
    // of tasks that run Spark shows how long
    const known = (i: number) => (tasks.status[i] === 0 ? null : column![i]);
    if (column) tasks.taskId.forEach((id, i) => seen.add(`tasks: ${name}`, 'report', known(i), { row: String(id), scale: 1 / scale }));
  }
  for (const row of (compared?.stages ?? []) as Row[]) {
    const ids = row.stagesBefore as number[];
    const own = tables.stages.filter(({ stageId }) => ids.includes(Number(stageId)));
    // attempts of a stage may have different names
    if (own.length > ids.length) continue;
    const taskTime = sumOf(
      tables.tasks.filter(({ stageId }) => ids.includes(Number(stageId))),
      'duration',
    );
    const name = ids.join(', ');
    seen.add('stages of one name: task time, ms', 'compare --json', row.tasksBeforeMs, { row: name });
    seen.add('stages of one name: task time, ms', 'show tasks', taskTime, { row: name });
    seen.add('stages of one name: duration, ms', 'compare --json', row.beforeMs, { row: name });
    seen.add('stages of one name: duration, ms', 'show stages', sumOf(own, 'duration'), { row: name });
  }

  const explained = agents.explain ?? '';
  const [, stage] = /^stage (\S+) /.exec(explained) ?? [];
  const own = tables.stages.find((row) => stageOf(row) === stage);
  if (stage && own) {
    seen.addText('stages: duration, ns', 'explain', /took ([\d.]+ \w+)/.exec(explained)?.[1], stage);
    seen.add('stages: duration, ns', 'show stages', own.duration, { row: stage, scale: nanosPerMilli });
    for (const [label, column, scale] of [
      ['Run time', 'executorRunTime', nanosPerMilli],
      ['CPU time', 'executorCpuTime', 1],
      ['GC time', 'jvmGcTime', nanosPerMilli],
      ['Input', 'inputBytes', 1],
      ['Output', 'outputBytes', 1],
      ['Shuffle read', 'shuffleReadBytes', 1],
      ['Shuffle write', 'shuffleWriteBytes', 1],
      ['Spilled (disk)', 'diskBytesSpilled', 1],
      ['Result size', 'resultSize', 1],
    ] as const) {
      const text = explained.split('\n').find((line) => line.startsWith(`  ${label}: `));
      if (!text) continue;
      seen.addText(`stages: ${column}, for people`, 'explain', /sum (.*)$/.exec(text)?.[1], stage);
      seen.add(`stages: ${column}, for people`, 'show stages', own[column], { row: stage, scale });
    }
  }

  seen.add('settings and properties', 'show environment', tables.environment.length);
  seen.add('settings and properties', 'report', report.environment.length);
  for (const [i, { name, file, line, cpuNs, wallNs, samples, rows }] of tables.udfs.entries()) {
    const row = `${String(name)} ${String(file)}:${String(line)}`;
    const mine = report.udfs[i];
    for (const [column, ofTable, ofReport] of [
      ['CPU, ns', cpuNs, mine?.cpuNs],
      ['wall time, ns', wallNs, mine?.wallNs],
      ['samples', samples, mine?.samples],
      ['rows', rows, mine?.rows],
    ] as const) {
      seen.add(`Python function: ${column}`, 'show udfs', ofTable, { row });
      seen.add(`Python function: ${column}`, 'report', ofReport, { row });
    }
  }
  for (const own of tables.waits) {
    const mine = report.waits.find(({ stageId }) => stageId === own.stageId) as unknown as Row;
    for (const column of ['jvmBusyPythonBusy', 'jvmBusyPythonWaiting', 'jvmWaitingPythonBusy', 'bothWaiting'] as const) {
      seen.add(`waits: ${column}`, 'show waits', own[column], { row: String(own.stageId) });
      seen.add(`waits: ${column}`, 'report', mine[column], { row: String(own.stageId) });
    }
  }
  seen.add('heap summaries', 'show heap_summaries', tables.heap_summaries.length);
  seen.add('heap summaries', 'report', report.heap?.summaries.length ?? 0);
  seen.add('batches', 'show streaming', tables.streaming.length);
  seen.add('batches', 'report', report.streaming?.batches.id.length ?? 0);
  // gauges: counters are rates in the report
  for (const [i, series] of report.series.entries()) {
    if (series.unit !== 'bytes') continue;
    const pid = report.processes[series.process]?.pid;
    const executor = report.executors[series.executor]?.id ?? null;
    const own = tables.metrics.find(
      ({ series: name, pid: its, executorId, kind }) =>
        name === series.name && kind === 'gauge' && (its ?? undefined) === pid && (executorId ?? null) === executor,
    );
    if (!own || series.value.length !== Number(own.points)) continue;
    const row = `${series.name} ${i}`;
    seen.add('largest value of a series', 'show metrics', own.maximum, { row });
    seen.add('largest value of a series', 'report', Math.max(...series.value), { row });
  }
}

/** The weight of an event's samples with a frame of this function. */
function weightOf({ stacks, frames, strings, samples }: Places['report'], name: string, file: string, event: number | undefined): number {
  const has = new Uint8Array(stacks.parent.length);
  for (let stack = 1; stack < has.length; stack++) {
    const frame = stacks.frame[stack]!;
    const is = strings[frames.name[frame]!] === name && strings[frames.file[frame]!] === file;
    has[stack] = is ? 1 : has[stacks.parent[stack]!]!;
  }
  return samples.event.reduce((sum, its, i) => (its === event && has[samples.stack[i]!] ? sum + samples.weight[i]! : sum), 0);
}

function ofSamples(seen: Quantities, { report, analyzed, terminal, tables }: Places): void {
  const known = (analyzed.summary as { samples: Record<string, Row> }).samples;
  const events = new Map(report.events.map(({ id, name }) => [id, name]));
  const sums = new Map<string, { count: number; weight: number }>();
  const { samples } = report;
  samples.event.forEach((event, i) => {
    const name = events.get(event)!;
    const sum = sums.get(name) ?? { count: 0, weight: 0 };
    sums.set(name, { count: sum.count + samples.count[i]!, weight: sum.weight + samples.weight[i]! });
  });
  for (const [name, { count, weight }] of sums) {
    seen.add('samples', 'report', count, { row: name });
    seen.add('samples', 'analyze --json', known[name]?.count, { row: name });
    seen.add('weight of samples', 'report', weight, { row: name });
    seen.add('weight of samples', 'analyze --json', known[name]?.weight, { row: name });
  }
  const cpu = report.events.find(({ name }) => name === 'cpu')?.id;
  for (const { name, file, line, cpuNs } of report.udfs) {
    const row = `${name} ${file}:${line}`;
    // a flame graph has no first lines to tell two lambdas apart
    if (report.udfs.filter((other) => other.name === name && other.file === file).length > 1) continue;
    seen.add('Python function: CPU, ns', 'flame graph', weightOf(report, name, file, cpu), { row });
    seen.add('Python function: CPU, ns', 'report', cpuNs, { row });
  }
  const coverage = lineOf(terminal, 'Coverage');
  const all = (column: string) => sumOf(Object.values(known), column);
  if (coverage) {
    seen.add('all samples', 'analyze --json', all('count'));
    seen.addText('all samples', 'terminal', /([\d,]+) samples/.exec(coverage)?.[1]);
    seen.add('samples on task threads', 'analyze --json', all('onTaskThreads'));
    seen.addText('samples on task threads', 'terminal', /([\d,]+) on task threads/.exec(coverage)?.[1] ?? '0');
    seen.add('lost samples', 'analyze --json', all('lost'));
    seen.addText('lost samples', 'terminal', /([\d,]+) lost/.exec(coverage)?.[1]);
  }
  const owned = report.owners.reduce((sum, { cpuMs }) => sum + cpuMs, 0);
  const owners = lineOf(terminal, 'CPU by owner');
  if (owned > 0 && owners) {
    for (const kind of ['task', 'driver', 'background'] as const) {
      const own = report.owners.filter((owner) => owner.kind === kind).reduce((sum, { cpuMs }) => sum + cpuMs, 0);
      const text = new RegExp(`${kind}s? ([\\d.]+%)`).exec(owners)?.[1];
      if (!text) continue;
      // each owner's time in whole ms
      seen.add('CPU time by kind of owner, share', 'report', own / owned, { row: kind, within: report.owners.length / owned });
      seen.addText('CPU time by kind of owner, share', 'terminal', text, kind);
    }
    seen.add('CPU time with an owner, share', 'report', report.ownedShare);
    seen.addText('CPU time with an owner, share', 'terminal', /; ([\d.]+%) of the processes/.exec(owners)?.[1]);
  }
  seen.add('processes', 'show processes', tables.processes.length);
  seen.add('processes', 'report', report.processes.length);
}

const failedTasks = (tables: Places['tables']) => tables.tasks.filter(({ status }) => status === 'FAILED').length;

async function ofCollector(seen: Quantities, collector: Collector, { tables, analyzed }: Places): Promise<void> {
  const id = String(analyzed.id);
  const attempt = String(analyzed.attempt ?? '');
  const end = numberOf(tables.applications.find((one) => one.id === id)?.endTime);
  const api = '/api/sparkprof/v1';
  await expect
    .poll(async () => (await collector.json<{ total: number }>(`${api}/applications`))?.total, { timeout: 60_000 })
    .toBeGreaterThan(0);
  const list = (await collector.json<{ applications: Row[] }>(`${api}/applications?limit=1000`))!.applications;
  const entry = list.find((one) => one.id === id && String(one.attempt ?? '') === attempt) ?? list[0]!;
  seen.add('duration, ms', 'REST list', entry.durationMs);
  seen.add('start', 'REST list', entry.startTime);
  seen.add('end', 'REST list', entry.endTime);
  seen.add('name', 'REST list', entry.name);
  seen.add('user', 'REST list', entry.user);
  seen.add('Spark version', 'REST list', entry.sparkVersion);
  seen.add('tasks', 'REST list', entry.tasks);
  seen.add('findings', 'REST list', entry.findings);
  // more may follow for what has no end
  seen.add('status', 'REST list', entry.status === 'running' ? null : entry.status);
  seen.add('status', 'show applications', tables.applications.find((one) => one.id === id)?.status);
  seen.add('cost', 'REST list', (entry.cost as Row | undefined)?.total ?? null);
  const diagnosed = await collector.json<{ verdict: string; findings: Row[] }>(`${api}/applications/${id}/findings`);
  seen.add('verdict', 'REST', diagnosed?.verdict);
  for (const finding of diagnosed?.findings ?? [])
    for (const column of ['title', 'severity', 'saving'] as const)
      seen.add(`finding: ${column}`, 'REST', finding[column], { row: String(finding.id) });
  const info = await collector.json<{ counts: Row; verdict: string }>(`${api}/applications/${id}`);
  for (const [name, value] of Object.entries(info?.counts ?? {})) seen.add(name, 'REST', value);
  const groups = await collector.json<{ groups: Row[] }>(`${api}/groups`);
  seen.add('CPU seconds', 'REST groups', groups?.groups.length === 1 && list.length === 1 ? groups.groups[0]!.cpuSeconds : null);
  seen.add('CPU seconds', 'REST list', list.length === 1 ? entry.cpuSeconds : null);

  const jobs = await collector.spark<Row[]>(id, attempt, 'jobs');
  // what runs in two jobs at once, or ends after its job, Spark counts for one of them
  const isAlone = ({ jobId, submissionTime: begin, completionTime: end }: Row) =>
    !tables.jobs.some(
      (other) =>
        other.jobId !== jobId &&
        numberOf(other.submissionTime) < numberOf(end) &&
        (numberOf(other.completionTime) || Infinity) > numberOf(begin),
    );
  const alone = rowsOfSpark(jobs, end).filter(isAlone);
  seen.addTable('jobs', "Spark's REST API", alone, ({ jobId }: Row) => jobId);
  if (jobs) {
    seen.add('jobs whose start is known', "Spark's REST API", jobs.length);
    seen.add('jobs whose start is known', 'show jobs', tables.jobs.filter(({ submissionTime }) => submissionTime).length);
  }
  const stages = await collector.spark<Row[]>(id, attempt, 'stages');
  seen.addTable('stages', "Spark's REST API", rowsOfSpark(stages, end), stageOf);
  if (stages) seen.add('stages', "Spark's REST API", stages.length);
  const executors = await collector.spark<Row[]>(id, attempt, 'allexecutors');
  const ofDriver = (name: string) => !['totalDuration', 'totalGCTime'].includes(name); // Spark has the JVM's there
  // Spark counts the time of a task again when it loses its output
  const isOnce = (name: string) => name !== 'totalDuration' || sumOf(tables.stages, 'numFailedTasks') === failedTasks(tables);
  seen.addTable(
    'executors',
    "Spark's REST API",
    rowsOfSpark(executors, end).map((row) =>
      Object.fromEntries(Object.entries(row).filter(([name]) => isOnce(name) && (row.id !== 'driver' || ofDriver(name)))),
    ),
    ({ id: executor }: Row) => executor,
  );
  const queries = await collector.spark<Row[]>(id, attempt, 'sql?length=100000');
  seen.addTable('sql', "Spark's REST API", rowsOfSpark(queries, end), ({ id: query }: Row) => query);
  const largest = [...tables.stages]
    .filter(({ numTasks }) => numberOf(numTasks) > 0 && numberOf(numTasks) <= mostTasks)
    .sort((a, b) => numberOf(b.executorRunTime) - numberOf(a.executorRunTime))[0];
  if (largest) {
    const path = `stages/${String(largest.stageId)}/${String(largest.attemptId)}/taskList?length=100000`;
    const tasks = rowsOfSpark(await collector.spark<Row[]>(id, attempt, path), end);
    seen.addTable('tasks', "Spark's REST API", tasks, ({ taskId }: Row) => taskId);
    for (const { taskId, taskMetrics } of tasks as { taskId: number; taskMetrics?: Row }[])
      seen.addTable('tasks', "Spark's REST API", [taskMetrics ?? {}], () => taskId);
  }
}

/** Rows of a table of the page by their heads. */
const rowsOf = (page: Page, label: string) =>
  page.locator(`table[aria-label="${label}"]`).evaluateAll((tables) =>
    tables.flatMap((table) => {
      const heads = [...table.querySelectorAll('thead th')].map((head) => head.textContent.replace(/ [↑↓]$/, ''));
      return [...table.querySelectorAll('tbody tr')].map((row) =>
        Object.fromEntries([...row.querySelectorAll('td')].map((cell, i) => [heads[i] ?? String(i), cell.textContent])),
      );
    }),
  );

async function ofPage(seen: Quantities, { page: path, report }: Places): Promise<void> {
  await on(
    '',
    async (page) => {
      const words = (await page.locator('.page-header').innerText()).split('\n');
      const title = words.indexOf(report.application.name);
      if (report.application.endTime > report.application.startTime) seen.addText('duration, ns', 'page', words[title + 1]);
      seen.add('outcome', 'page', words[title + 2]?.startsWith('incomplete') ? report.application.outcome : words[title + 2]);
      seen.add('verdict', 'page', (await page.locator('.verdict').first().innerText()).split('\n')[0]!.trim());
      for (const item of await page.locator('[aria-label="Core time"] .spent-list li').all()) {
        const [name, , share] = await item.locator('> :not(i)').allInnerTexts();
        seen.addText('share of core time', 'page', share, name);
      }
      await page.locator('button[popovertarget="coverage"]').click();
      for (const row of await rowsOf(page, 'Samples by event'))
        seen.addText('samples', 'page', row.Samples, nameOfEvent(report, row.Event));
      for (const row of await rowsOf(page, 'Samples by event'))
        seen.addText('lost samples of an event', 'page', row.Lost, nameOfEvent(report, row.Event));
      for (const [name, { lost = 0 }] of Object.entries(report.summary.samples ?? {}))
        seen.add('lost samples of an event', 'report', lost, { row: name });
    },
    wide,
    'light',
    pathToFileURL(path).href,
  );
}

const nameOfEvent = (report: Places['report'], label: string | undefined) =>
  report.events.find((event) => event.label === label)?.name ?? '';

async function ofCollectorsPage(seen: Quantities, collector: Collector): Promise<void> {
  await on(
    '',
    async (page) => {
      await page.waitForSelector('table tbody tr td');
      const [row] = await rowsOf(page, 'Applications');
      if (!row) return;
      seen.addText('duration, ns', 'list of the collector', row.Duration);
      seen.addText('tasks', 'list of the collector', row.Tasks);
      if ('Findings' in row) seen.addText('findings', 'list of the collector', row.Findings || '0');
      const status = row.Status?.replace(/^\W+/, '');
      // more may follow for what has no end
      seen.add('status', 'list of the collector', status === 'running' ? null : status || null);
      if (row.Cost) seen.addText('cost', 'list of the collector', row.Cost);
    },
    wide,
    'light',
    `${collector.url}/`,
  );
}

/** Shares above the whole, and CPU time above the time in which it was used. */
function impossible({ terminal, agents, tables }: Places): string[] {
  const texts = [...terminal, ...Object.values(agents).flatMap((text) => text.split('\n'))];
  const shares = texts.filter((text) => [...text.matchAll(/(?<![+\d.])(\d+(?:\.\d+)?)%/g)].some(([, percent]) => Number(percent) > 100));
  const busy = tables.tasks.filter(
    // Spark measures the run time in whole ms
    ({ executorCpuTime, executorRunTime }) => numberOf(executorCpuTime) > (numberOf(executorRunTime) + 1) * nanosPerMilli,
  );
  const stages = new Set(busy.map(({ stageId, stageAttemptId }) => `${String(stageId)}.${String(stageAttemptId)}`));
  return [...shares, ...[...stages].map((stage) => `tasks of stage ${stage} have more CPU time than run time`)];
}

const shared = process.env.SPARKPROF_SHARED_DATA;
const isSlow = process.env.SPARKPROF_SLOW_TESTS === '1';

/** Paths of inputs by name; those made here are written on first use. */
function inputsOf(): Record<string, () => string> {
  const made = (name: string, text: () => string) => () => {
    const path = pathOf(name);
    if (!existsSync(path)) writeFileSync(path, text());
    return path;
  };
  const inputs: Record<string, () => string> = {
    'an event log': made('made-event-log', eventLog),
    '17 equal queries': made('repeated-event-log', () => repeated(eventLog(), 17)),
    'a recording': () => fileURLToPath(new URL('../../tests/cases/recordings/0.1.sprof', import.meta.url)),
  };
  if (!isSlow) return inputs;
  for (const path of process.env.SPARKPROF_INPUTS?.split(':').filter(Boolean) ?? []) inputs[path] = () => path;
  for (const folder of shared ? [join(shared, 'eventlogs'), join(shared, 'eventlogs', 'engines')] : []) {
    if (!existsSync(folder)) continue;
    // of several attempts, one: places list them together or apart
    const attempts = 'spark3-multiple_attempts';
    for (const name of readdirSync(folder).sort())
      if (name !== 'engines') inputs[name] = () => (name === attempts ? join(folder, name, 'attempt_1_eventlog.zstd') : join(folder, name));
  }
  return inputs;
}

describe.skipIf(!program)('every place shows the same numbers (SPARKPROF_BIN)', () => {
  const compared = new Set<string>();
  let comparisons = 0;
  for (const [name, pathOfInput] of Object.entries(inputsOf())) {
    it(`of ${name}`, async () => {
      const input = pathOfInput();
      const command = new Command(program!, pathOf(`places-${input.replaceAll('/', '-')}`));
      const places = await command.ask(input);
      const seen = new Quantities();
      ofApplication(seen, places);
      ofTables(seen, places);
      ofSamples(seen, places);
      const collector = await command.serve(input);
      try {
        await ofCollector(seen, collector, places);
        await ofCollectorsPage(seen, collector);
      } finally {
        await collector.stop();
      }
      await ofPage(seen, places);
      seen.compared().forEach((quantity) => compared.add(quantity));
      comparisons += seen.comparisons();
      expect([...seen.differences(), ...impossible(places)]).toEqual([]);
    }, 900_000);
  }

  afterAll(() => {
    if (compared.size === 0) return;
    console.log(`${compared.size} quantities in at least two places, ${comparisons} comparisons`);
    expect(compared.size).toBeGreaterThanOrEqual(fewest);
  });
});
