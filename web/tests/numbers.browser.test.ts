// SPDX-License-Identifier: Apache-2.0
// The numbers on the page are those that the command prints for the same question. Needs SPARKPROF_BIN; of SPARKPROF_LOG, an event
// log or recording, SPARKPROF_TEXT_LOG and SPARKPROF_RECORDING, or else of inputs made here.
import { execFileSync, spawnSync } from 'node:child_process';
import { copyFileSync, readFileSync, writeFileSync } from 'node:fs';
import { pathToFileURL } from 'node:url';
import type { Page } from 'playwright-core';
import { beforeAll, describe, expect, it } from 'vitest';
import { on, pathOf, wide } from './ask.ts';
import { soon } from './browser.ts';
import { eventLog } from './make_event_log.ts';
import { textLog } from './make_text_log.ts';

const command = process.env.SPARKPROF_BIN;
const most = 200; // rows of a table on paper
const mostStages = 12; // the tasks of these are compared

type Row = Record<string, number | string | null>;
interface Application {
  durationMs: number;
  summary: { applications: { endTime: number }[]; counts: Record<string, number>; lines?: string[] };
  concurrency: { peak: number; mean: number; timeAtMs: number[] };
  findings: { title: string; saving: string; severity: string; isFailure: boolean; folded: boolean }[];
}
/** Heads of columns, fields of the command, and what one is multiplied by to be the other. */
type Columns = readonly (readonly [head: string, field: string, factor?: number])[];

/** Parses the command's JSON. An empty table is JSON, too, although the command exits with 1. */
const ask = (...parts: string[]) =>
  JSON.parse(spawnSync(command!, parts, { encoding: 'utf8', maxBuffer: 1 << 30, stdio: ['ignore', 'pipe', 'ignore'] }).stdout) as unknown;

/** Cells of a table by the heads of its columns: the exact value where a hover shows one, else the text. */
async function tableOf(page: Page, label: string): Promise<Record<string, string>[]> {
  return await page.locator(`table[aria-label="${label}"]`).evaluate((table) => {
    const heads = [...table.querySelectorAll('thead th')]
      .map((head) => (head.querySelector('button') ? head.textContent.replace(/ [↑↓]$/, '') : ''))
      .map((head, i, all) => (all.indexOf(head) < i ? `${head} 2` : head));
    return [...table.querySelectorAll('tbody tr[data-row]')].map((row) =>
      Object.fromEntries(
        [...row.querySelectorAll('td')].map((cell, i) => [
          heads[i]!,
          /^[-\d,.]+ ?(ns|bytes)?$/.test(cell.title) ? cell.title : cell.textContent,
        ]),
      ),
    );
  });
}

/** A name with dots is a member of an object. */
const fieldOf = (row: Row, name: string) =>
  name.split('.').reduce<unknown>((value, part) => (value as Record<string, unknown> | null | undefined)?.[part], row) ?? 0;

const number = (text: string | undefined) => (text === undefined || text === '–' ? 0 : Number(text.replace(/[^\d.-]/g, '')));

function compare(shown: Record<string, string>, expected: Row, columns: Columns, what: string): void {
  for (const [head, field, factor = 1] of columns) {
    // a metric that is 0 for all has no column
    const value = Number(fieldOf(expected, field)) * factor;
    if (shown[head] !== undefined || value !== 0) expect(number(shown[head]), `${head} of ${what}`).toBeCloseTo(value, 2);
  }
}

/** On paper, tables show their rows without scrolling. */
async function onPaper(page: Page, label: string, rows: number): Promise<Record<string, string>[]> {
  await page.emulateMedia({ media: 'print' });
  await soon(() => page.locator(`table[aria-label="${label}"] tbody tr[data-row]`).count(), label).toBe(Math.min(most, rows));
  return await tableOf(page, label);
}

const ofTasks: Columns = [
  ['Duration', 'duration', 1e6],
  ['Run time', 'executorRunTime', 1e6],
  ['CPU time', 'executorCpuTime'],
  ['Deserialization', 'executorDeserializeTime', 1e6],
  ['Deserialization CPU', 'executorDeserializeCpuTime'],
  ['GC time', 'jvmGcTime', 1e6],
  ['Result serialization', 'resultSerializationTime', 1e6],
  ['Getting result', 'gettingResultTime', 1e6],
  ['Scheduler delay', 'schedulerDelay', 1e6],
  ['Result size', 'resultSize'],
  ['Peak execution memory', 'peakExecutionMemory'],
  ['Spilled (memory)', 'memoryBytesSpilled'],
  ['Spilled (disk)', 'diskBytesSpilled'],
  ['Input', 'inputBytes'],
  ['Input records', 'inputRecords'],
  ['Output', 'outputBytes'],
  ['Output records', 'outputRecords'],
  ['Shuffle read', 'shuffleReadBytes'],
  ['Shuffle read from other executors', 'shuffleRemoteBytesRead'],
  ['Shuffle read records', 'shuffleReadRecords'],
  ['Shuffle fetch wait', 'shuffleFetchWaitTime', 1e6],
  ['Shuffle write', 'shuffleWriteBytes'],
  ['Shuffle write records', 'shuffleWriteRecords'],
  ['Shuffle write time', 'shuffleWriteTime'],
];

describe.skipIf(!command)('numbers of an application (SPARKPROF_BIN)', () => {
  let url = '';
  let log = '';
  let application: Application;
  const events = (table: string, ...more: string[]) => ask('show', table, log, '--json', ...more) as Row[];
  beforeAll(() => {
    log = process.env.SPARKPROF_LOG ?? pathOf('made-event-log');
    if (!process.env.SPARKPROF_LOG) writeFileSync(log, eventLog());
    const report = pathOf('numbers.html');
    application = (ask('analyze', log, '--json', '--report', report) as { applications: Application[] }).applications[0]!;
    url = pathToFileURL(report).href;
  }, 300_000);

  it('of stages', async () => {
    const stages = events('stages', '--sort', 'stageId,attemptId');
    await on(
      'tab=stages&tasksOf=-&v.each=1&v.sort.Stages=id',
      async (page) => {
        const shown = await onPaper(page, 'Stages', stages.length);
        shown.forEach((row, i) => {
          const stage = stages[i]!;
          const id = stage.attemptId ? `${stage.stageId}.${stage.attemptId}` : `${stage.stageId}`;
          expect(row.Stage).toBe(id);
          expect(row.Tasks, `tasks of stage ${id}`).toBe(
            `${stage.numTasks}${Number(stage.numFailedTasks) + Number(stage.numKilledTasks) > 0 ? ` ${Number(stage.numFailedTasks) + Number(stage.numKilledTasks)} failed` : ''}`,
          );
          compare(
            row,
            stage,
            [
              ['Duration', 'duration', 1e6],
              ['Run time', 'executorRunTime', 1e6],
              ['CPU', 'executorCpuTime'],
              ['GC', 'jvmGcTime', 1e6],
              ['Input', 'inputBytes'],
              ['Shuffle in', 'shuffleReadBytes'],
              ['Shuffle out', 'shuffleWriteBytes'],
              ['Spill', 'diskBytesSpilled'],
            ],
            `stage ${id}`,
          );
        });
      },
      wide,
      'light',
      url,
    );
  });

  it('of tasks, their extremes and their sums', async () => {
    const stages = events('stages', '--sort', 'stageId,attemptId')
      .filter(({ numTasks }) => Number(numTasks) > 0)
      .slice(0, mostStages);
    const all = events('tasks');
    for (const { stageId, attemptId } of stages) {
      const own = all.filter((task) => task.stageId === stageId && task.stageAttemptId === attemptId);
      if (own.length === 0) continue;
      await on(
        `tab=stages&tasksOf=${stageId}.${attemptId}`,
        async (page) => {
          for (const row of await onPaper(page, `Tasks of stage ${stageId}`, own.length)) {
            const task = own.find(({ taskId }) => taskId === Number(row.TID))!;
            expect(row.Executor, `executor of task ${row.TID}`).toBe(task.executorId);
            compare(row, task, ofTasks, `task ${row.TID}`);
          }
          const quantiles = await page
            .locator('.quantile-grid tbody tr')
            .evaluateAll((rows) => rows.map((row) => [...row.querySelectorAll('td')].map((cell) => cell.title || cell.textContent)));
          const ended = own.filter(({ status }) => status !== 'RUNNING');
          for (const [label, ...values] of quantiles) {
            const column = ofTasks.find(([head]) => head === label);
            if (!column) continue;
            const sorted = ended.map((task) => Number(task[column[1]] ?? 0) * (column[2] ?? 1)).sort((a, b) => a - b);
            expect([number(values[0]), number(values[4])], `extremes of ${label} of stage ${stageId}.${attemptId}`).toEqual([
              sorted[0],
              sorted.at(-1),
            ]);
            expect(number(values[5]), `sum of ${label} of stage ${stageId}.${attemptId}`).toBe(
              own.reduce((sum, task) => sum + Number(task[column[1]] ?? 0) * (column[2] ?? 1), 0),
            );
            for (const quartile of [1, 2, 3]) expect(sorted, `quantile of ${label}`).toContain(number(values[quartile]));
          }
        },
        wide,
        'light',
        url,
      );
    }
  }, 300_000);

  it('of executors and their memory', async () => {
    const executors = events('executors');
    await on(
      'tab=executors',
      async (page) => {
        for (const row of await onPaper(page, 'Executors', executors.length)) {
          const executor = executors.find(({ id }) => id === row.Executor)!;
          compare(
            row,
            executor,
            [
              ['Cores', 'totalCores'],
              ['Tasks', 'totalTasks'],
              ['Failed', 'failedTasks'],
              ['Input', 'totalInputBytes'],
              ['GC', 'totalGCTime', 1e6],
            ],
            `executor ${row.Executor}`,
          );
          expect(number(row.Shuffle), `shuffle of executor ${row.Executor}`).toBe(
            Number(executor.totalShuffleRead ?? 0) + Number(executor.totalShuffleWrite ?? 0),
          );
        }
        if ((await page.locator('#tab-memory').count()) === 0) return;
        await page.emulateMedia({ media: 'screen' });
        await page.click('#tab-memory');
        for (const row of await onPaper(page, 'Memory of executors', executors.length)) {
          const executor = executors.find(({ id }) => id === row.Executor)!;
          compare(
            row,
            executor,
            [
              ['Limit of storage + execution', 'maxMemory'],
              ['JVM Heap', 'peakMemoryMetrics.JVMHeapMemory'],
              ['On Heap Storage', 'peakMemoryMetrics.OnHeapStorageMemory'],
            ],
            `executor ${row.Executor}`,
          );
        }
      },
      wide,
      'light',
      url,
    );
  });

  it('of SQL executions and the metrics of their plans', async () => {
    const executions = events('sql', '--sort', 'id');
    if (executions.length === 0) return;
    await on(
      'tab=sql&v.list=1&v.sort.SQL+executions=id',
      async (page) => {
        const shown = await onPaper(page, 'SQL executions', executions.length);
        shown.forEach((row, i) => {
          expect(row.SQL).toBe(String(executions[i]!.id));
          // the page ends with the application; an execution that fails as it stops may end later
          const { duration, submissionTime } = executions[i]!;
          const cut = Math.min(Number(duration), application.summary.applications[0]!.endTime - Number(submissionTime));
          compare(row, { duration: cut }, [['Duration', 'duration', 1e6]], `SQL ${row.SQL}`);
        });
      },
      wide,
      'light',
      url,
    );
    const first = executions.slice(0, mostStages);
    for (const { id, nodes } of first) {
      const expected = (nodes as unknown as { metrics?: { value: string | number | null }[] }[])
        .flatMap(({ metrics = [] }) => metrics.map(({ value }) => Number(value ?? 0)))
        .filter((value) => value > 0);
      await on(
        `tab=sql&v.list=1&sql=${id}`,
        async (page) => {
          const values = await page.locator('.plan-metrics > span').evaluateAll((list) => list.map((one) => (one as HTMLElement).title));
          expect(values.map(number), `metrics of SQL ${id}`).toEqual(expected);
        },
        wide,
        'light',
        url,
      );
    }
  }, 300_000);

  it('of cached data', async () => {
    const rdds = events('storage', '--sort', 'id');
    if (rdds.length === 0) return;
    await on(
      'tab=storage&v.sort.Cached+RDDs=name',
      async (page) => {
        for (const row of await onPaper(page, 'Cached RDDs', rdds.length)) {
          const rdd = rdds.find(({ id }) => id === Number(row.RDD!.split(' ')[0]))!;
          compare(
            row,
            rdd,
            [
              ['Memory', 'memoryUsed'],
              ['Peak memory', 'peakMemoryUsed'],
              ['Disk', 'diskUsed'],
              ['Evicted', 'evictedBlocks'],
              ['Lost', 'lostBlocks'],
            ],
            `RDD ${row.RDD}`,
          );
          expect(row['Storage level']).toBe(rdd.storageLevel);
          expect(row.Partitions, `partitions of ${row.RDD}`).toBe(
            rdd.numCachedPartitions === null ? String(rdd.numPartitions) : `${rdd.numCachedPartitions} of ${rdd.numPartitions}`,
          );
        }
      },
      wide,
      'light',
      url,
    );
  });

  it('of streaming batches', async () => {
    const batches = events('streaming', '--sort', 'timestamp');
    if (batches.length === 0) return;
    await on(
      'tab=streaming&v.sort.Batches=time',
      async (page) => {
        const own = batches.filter(({ runId }) => runId === batches[0]!.runId);
        const shown = await onPaper(page, 'Batches', own.length);
        shown.forEach((row, i) =>
          compare(
            row,
            own[i]!,
            [
              ['Batch', 'batchId'],
              ['Duration', 'batchDuration', 1e6],
              ['Input rows', 'numInputRows'],
              ['Arriving', 'inputRowsPerSecond'],
              ['Processed', 'processedRowsPerSecond'],
              ['State rows', 'stateRows'],
              ['State memory', 'stateMemoryBytes'],
              ['Behind', 'offsetsBehindLatest'],
              ['addBatch', 'durationMs.addBatch', 1e6],
              ['walCommit', 'durationMs.walCommit', 1e6],
            ],
            `batch ${row.Batch}`,
          ),
        );
      },
      wide,
      'light',
      url,
    );
  });

  it('of the tags of jobs, and of the stages behind one', async () => {
    const jobs = events('jobs') as unknown as { jobId: number; jobTags?: string[]; stageIds: number[] }[];
    const tags = [...new Set(jobs.flatMap(({ jobTags = [] }) => jobTags))].sort();
    if (tags.length === 0) return;
    const stages = new Set(jobs.filter(({ jobTags = [] }) => jobTags.includes(tags[0]!)).flatMap(({ stageIds }) => stageIds));
    await on(
      `tab=stages&tasksOf=-&v.each=1&tag=${encodeURIComponent(tags[0]!)}`,
      async (page) => {
        await page.locator('.chip-text').click();
        const choices = await page.locator('.add option').evaluateAll((list) => list.map((one) => (one as HTMLOptionElement).value));
        expect(choices.filter(Boolean)).toEqual(tags);
        const attempts = events('stages').filter(({ stageId }) => stages.has(Number(stageId)));
        const shown = await onPaper(page, 'Stages', attempts.length);
        expect(new Set(shown.map(({ Stage }) => Number(Stage!.split('.')[0])))).toEqual(stages);
      },
      wide,
      'light',
      url,
    );
  });

  it('of the environment', async () => {
    const entries = events('environment');
    await on(
      'tab=environment',
      async (page) => {
        await page.emulateMedia({ media: 'print' });
        const tables = page.locator('.environment table');
        await soon(() => tables.count()).toBeGreaterThan(0);
        const labels = await tables.evaluateAll((all) => all.map((table) => table.getAttribute('aria-label')!));
        const shown = (await Promise.all(labels.map((label) => tableOf(page, label)))).flat();
        expect(shown.length).toBeGreaterThan(0);
        const known = new Set(entries.map(({ name, value }) => `${name} = ${value}`));
        for (const { Name, Value } of shown) expect(known).toContain(`${Name} = ${Value}`);
      },
      wide,
      'light',
      url,
    );
  });

  it('of findings, the summary and concurrency', async () => {
    await on(
      '',
      async (page) => {
        await soon(() => page.locator('.finding-title').allTextContents()).toEqual(application.findings.map(({ title }) => title));
        const facts = await page.locator('.finding-facts').allTextContents();
        const savings = await page.locator('.finding-saving').allTextContents();
        const terminal = spawnSync(command!, ['findings', log], { encoding: 'utf8' }).stdout;
        facts.forEach((text, i) => {
          const { severity, saving, isFailure, folded } = application.findings[i]!;
          expect(text).toMatch(new RegExp(`^Severity: ${severity}`));
          if (!folded && saving) expect(terminal).toContain(`could save ${saving}`);
          expect(savings[i]).toBe(isFailure ? 'failure' : saving || (folded ? '–' : 'risk'));
        });
        expect(await page.locator('.summary pre').textContent()).toBe(application.summary.lines!.join('\n'));
        await page.click('#tab-metrics');
        await soon(() => page.locator('.profile h2').innerText()).toContain(
          `up to ${application.concurrency.peak} tasks at once, ${application.concurrency.mean.toFixed(1)} on average`,
        );
      },
      wide,
      'light',
      url,
    );
  });

  it('of wall time and core time, which add up', async () => {
    await on(
      '',
      async (page) => {
        const parts = await page.locator('.wall-part').evaluateAll((list) => list.map((one) => Number((one as HTMLElement).dataset.ns)));
        const wall = parts.reduce((a, b) => a + b, 0);
        expect(wall).toBeLessThanOrEqual(application.durationMs * 1e6 + 1e6);
        for (const list of await page.locator('.spent-list').all()) {
          const shares = await list.locator('.quiet').allTextContents();
          const sum = shares.reduce((all, text) => all + Number.parseFloat(text.replace('< ', '')), 0);
          expect(Math.abs(sum - 100)).toBeLessThan(0.1 * shares.length);
        }
      },
      wide,
      'light',
      url,
    );
  });

  it('never above 100%', async () => {
    await on(
      '',
      async (page) => {
        for (const tab of await page.locator('[role=tab]').evaluateAll((list) => list.map(({ id }) => id))) {
          await page.click(`#${tab}`);
          const text = await page.locator('#content').innerText();
          expect(
            [...text.matchAll(/(?<![+\d.])(\d+(?:\.\d+)?)%/g)].map(([, percent]) => Number(percent)).filter((percent) => percent > 100),
            tab,
          ).toEqual([]);
        }
      },
      wide,
      'light',
      url,
    );
  });
});

describe.skipIf(!command)('numbers of text logs (SPARKPROF_BIN)', () => {
  it('of templates, errors and lines', async () => {
    const log = process.env.SPARKPROF_TEXT_LOG ?? pathOf('driver.log');
    if (!process.env.SPARKPROF_TEXT_LOG) writeFileSync(log, textLog());
    const html = pathOf('logs.html');
    execFileSync(command!, ['analyze', log, '--report', html], { stdio: 'ignore' });
    const templates = ask('logs', log, '--templates', '--json') as { template: string; count: number; levels: Record<string, number> }[];
    const errors = ask('logs', log, '--errors', '--json') as { message: string; count: number; rootCause: string | null }[];
    const records = (ask('logs', log, '--json') as unknown[]).length;
    await on(
      'tab=logs',
      async (page) => {
        const counts = (rows: [string, number][]) => rows.map(([text, count]) => `${count} ${text}`).sort();
        const shown = await onPaper(page, 'Templates', templates.length);
        const known = counts(templates.map(({ template, count }) => [template || '(no template)', count]));
        if (templates.length <= most) expect(counts(shown.map(({ Template, Count }) => [Template!, number(Count)]))).toEqual(known);
        else for (const row of counts(shown.map(({ Template, Count }) => [Template!, number(Count)]))) expect(known).toContain(row);
        if (errors.length > 0) {
          const ofPage = counts((await onPaper(page, 'Errors', errors.length)).map(({ Message, Count }) => [Message!, number(Count)]));
          const ofCommand = counts(errors.map(({ message, count }) => [message, count]));
          for (const error of ofPage) expect(ofCommand).toContain(error);
        }
        await page.emulateMedia({ media: 'screen' });
        expect(number(/ of ([\d,]+) lines?/.exec(await page.locator('.log-bar').first().innerText())![1])).toBe(records);
      },
      wide,
      'light',
      pathToFileURL(html).href,
    );
  });
});

// Data of SPARKPROF_RECORDING, or else of the recording that the fuzzers start from.
describe.skipIf(!command)('numbers of a recording (SPARKPROF_BIN)', () => {
  let recording = '';
  let url = '';
  beforeAll(() => {
    recording = process.env.SPARKPROF_RECORDING ?? pathOf('example.sprof');
    if (!process.env.SPARKPROF_RECORDING)
      copyFileSync(new URL('../../fuzz/seeds/segment/two_blocks_and_a_cut_one', import.meta.url), recording);
    const html = pathOf('recording.html');
    execFileSync(command!, ['report', recording, '-o', html], { stdio: 'ignore' });
    url = pathToFileURL(html).href;
  }, 300_000);

  it('of Python functions and waits', async () => {
    const functions = ask('show', 'udfs', recording, '--json') as Row[];
    const waits = ask('show', 'waits', recording, '--json') as Row[];
    await on(
      'tab=python',
      async (page) => {
        const rows = await onPaper(page, 'Functions in Python workers', functions.length);
        expect(rows.length).toBeGreaterThan(0);
        for (const row of rows) {
          const its = functions.find(
            ({ name, file, line }) => name === row.Function && `${String(file).split('/').at(-1)}:${line}` === row.Where,
          )!;
          compare(
            row,
            its,
            [
              ['CPU', 'cpuNs'],
              ['Wall', 'wallNs'],
              ['Samples', 'samples'],
              ['Rows', 'rows'],
            ],
            `function ${row.Function}`,
          );
        }
        if (waits.length === 0) return;
        for (const row of await onPaper(page, 'Waits of the JVM and Python', waits.length)) {
          compare(
            row,
            waits.find(({ stageId }) => stageId === Number(row.Stage))!,
            [
              ['JVM waits, Python busy', 'jvmWaitingPythonBusy'],
              ['JVM busy, Python waits', 'jvmBusyPythonWaiting'],
              ['Both busy', 'jvmBusyPythonBusy'],
              ['Both wait', 'bothWaiting'],
            ],
            `waits of stage ${row.Stage}`,
          );
        }
      },
      wide,
      'light',
      url,
    );
  });

  it('of classes in the heap', async () => {
    const classes = ask('show', 'heap', recording, '--json') as Record<string, number | null>[];
    const since = (now: number | null, before: number | null) => (before === null ? null : now! - before); // one summary has none before
    const summaries = ask('show', 'heap_summaries', recording, '--json') as unknown[];
    await on(
      'tab=heap',
      async (page) => {
        const rows = await onPaper(page, 'Classes in the heap', classes.length);
        expect(rows.length).toBeGreaterThan(0);
        for (const row of rows) {
          const its = classes.find(({ name }) => String(name) === row.Class)!;
          compare(
            row,
            { ...its, change: since(its.bytes!, its.bytesBefore!), change2: since(its.instances!, its.instancesBefore!) },
            [
              ['Bytes', 'bytes'],
              ['Instances', 'instances'],
              ['Change', 'change'],
              ['Change 2', 'change2'],
            ],
            `class ${row.Class}`,
          );
        }
        expect(number(/Summaries: ([\d,]+)/.exec(await page.locator('.heap .toolbar').innerText())![1])).toBe(summaries.length);
      },
      wide,
      'light',
      url,
    );
  });
});

interface Node {
  name: string;
  value: number;
  self: number;
  children: Node[];
}

describe.skipIf(!command)('numbers of a profile (SPARKPROF_BIN)', () => {
  it('of functions', async () => {
    const stacks = pathOf('stacks.collapsed');
    writeFileSync(stacks, 'main;run;read 40\nmain;run;sort;compare 25\nmain;run;run;sort 10\nmain;idle 5\n');
    const [tree, html] = [pathOf('tree.json'), pathOf('profile.html')];
    for (const output of [tree, html]) execFileSync(command!, ['convert', stacks, output]);
    const self = new Map<string, number>();
    const total = new Map<string, number>();
    const add = (node: Node, above: string[]) => {
      if (above.length > 0) {
        self.set(node.name, (self.get(node.name) ?? 0) + node.self);
        if (!above.includes(node.name)) total.set(node.name, (total.get(node.name) ?? 0) + node.value);
      }
      node.children.forEach((child) => add(child, [...above, node.name]));
    };
    add((JSON.parse(readFileSync(tree, 'utf8')) as { root: Node }).root, []);
    await on(
      'tab=flame&table=1',
      async (page) => {
        const shown = await onPaper(page, 'Functions', total.size);
        expect(Object.fromEntries(shown.map((row) => [row.Function, [number(row.Self), number(row.Total)]]))).toEqual(
          Object.fromEntries([...total].map(([name, sum]) => [name, [self.get(name)!, sum]])),
        );
      },
      wide,
      'light',
      pathToFileURL(html).href,
    );
  });
});
