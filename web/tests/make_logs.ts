// SPDX-License-Identifier: Apache-2.0
// The log of the made-up job: a line for each begin and end of a task, a few warnings, one error twice.
import type { LogError, Logs, Tasks } from '../src/data/contract.ts';

const levels = ['', 'TRACE', 'DEBUG', 'INFO', 'WARN', 'ERROR', 'FATAL'];
const info = 3;
const warn = 4;
const error = 5;
export const stackOfError =
  'java.lang.IllegalStateException: no rate for region 7\n\tat com.example.Rates.of(Rates.java:31)\nCaused by: java.io.IOException: rates.csv: truncated';

interface Row {
  time: number;
  level: number;
  executor: number;
  template: number;
  text: string;
}

export function demoLogs(tasks: Tasks, start: number, duration: number): Logs {
  const rows: Row[] = [];
  const stamp = (time: number) => new Date(start + time).toISOString().replace('T', ' ').slice(2, 19);
  for (let task = 0; task < tasks.taskId.length; task++) {
    const name = `task ${tasks.index[task]}.0 in stage ${tasks.stage[task]}.0 (TID ${tasks.taskId[task]})`;
    const executor = tasks.executor[task]!;
    rows.push({
      time: tasks.begin[task]!,
      level: info,
      executor,
      template: 1,
      text: `${stamp(tasks.begin[task]!)} INFO Executor: Running ${name}`,
    });
    rows.push({
      time: tasks.end[task]!,
      level: info,
      executor,
      template: 2,
      text: `${stamp(tasks.end[task]!)} INFO Executor: Finished ${name}. 2012 bytes result sent to driver`,
    });
  }
  for (let time = 3000; time < duration; time += 4000) {
    rows.push({
      time,
      level: warn,
      executor: 0,
      template: 3,
      text: `${stamp(time)} WARN TaskSetManager: Stage contains a task of very large size (${time} KiB)`,
    });
  }
  for (const time of [9000, 21_000]) {
    rows.push({
      time,
      level: error,
      executor: 1,
      template: 4,
      text: `${stamp(time)} ERROR Executor: Exception in task 3.0 in stage 6.0 (TID 80)\n${stackOfError}`,
    });
  }
  rows.sort((a, b) => a.time - b.time);
  const texts = rows.map(({ text }) => new TextEncoder().encode(text));
  const end = new Uint32Array(rows.length);
  let size = 0;
  texts.forEach((bytes, row) => {
    end[row] = size += bytes.length;
  });
  const text = new Uint8Array(size);
  texts.forEach((bytes, row) => text.set(bytes, end[row]! - bytes.length));
  const names = [
    '',
    'Running task <*> in stage <*> (TID <*>)',
    'Finished task <*> in stage <*> (TID <*>). <*> bytes result sent to driver',
    'Stage contains a task of very large size (<*> KiB)',
    'Exception in task <*> in stage <*> (TID <*>)',
  ];
  const templates = names.map((name, template) => {
    const own = rows.filter((row) => row.template === template);
    const level = levels[own[0]?.level ?? info]!;
    return {
      text: name,
      count: own.length,
      first: own.length ? start + own[0]!.time : 0,
      last: own.length ? start + own[own.length - 1]!.time : 0,
      levels: own.length ? { [level]: own.length } : {},
    };
  });
  const counts = new Map<string, [number, number, number]>();
  for (const { template, time } of rows) {
    const bucket = Math.floor(time / 1000);
    const key = `${template} ${bucket}`;
    const known = counts.get(key);
    if (known) known[2]++;
    else counts.set(key, [template, bucket, 1]);
  }
  const errors: LogError[] = [
    {
      fingerprint: '5c1d',
      level: 'ERROR',
      message: 'Exception in task 3.0 in stage 6.0 (TID 80)',
      exception: 'java.lang.IllegalStateException',
      rootCause: 'java.io.IOException: rates.csv: truncated',
      stack: stackOfError,
      count: 2,
      first: start + 9000,
      last: start + 21_000,
      where: ['executor-1/stderr:118', 'executor-1/stderr:240'],
    },
  ];
  return {
    sources: ['driver/stderr', 'executor-1/stderr', 'executor-2/stderr'],
    levels,
    text,
    templates,
    errors,
    dropped: '',
    records: {
      time: Float64Array.from(rows, (row) => row.time),
      level: Uint8Array.from(rows, (row) => row.level),
      executor: Int32Array.from(rows, (row) => row.executor),
      source: Uint32Array.from(rows, (row) => row.executor),
      line: Uint32Array.from(rows, (_, row) => row + 1),
      template: Uint32Array.from(rows, (row) => row.template),
      end,
    },
    templateTimes: {
      bucketMs: 1000,
      template: Uint32Array.from([...counts.values()], ([template]) => template),
      bucket: Uint32Array.from([...counts.values()], ([, bucket]) => bucket),
      count: Uint32Array.from([...counts.values()], ([, , count]) => count),
    },
  };
}
