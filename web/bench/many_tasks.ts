// SPDX-License-Identifier: Apache-2.0
// A stage of 230,000 tasks: how long the page takes to open, and from a click on a tab until its content is drawn; of a stage, that is all
// that is in sight, and the tables below follow; beside it the CPU time of the page's main thread; and the time of a key in the answer bar.
// The aims: 1200 ms, 100 ms and 16 ms.
// Run with: npm run bench
import { afterAll, expect, test } from 'vitest';
import { answerKeys } from '../tests/answer_keys.ts';
import { Browser, cpuClock } from '../tests/browser.ts';
import { encodeBase64, pageWith } from '../tests/encode.ts';
import { demoReport, generator } from '../tests/make_data.ts';
import { profileOfAll, runningTasks } from '../src/analysis/time/concurrency.ts';
import type { Report } from '../src/data/contract.ts';
import { Model } from '../src/data/model.ts';

const taskCount = 230_000;
const largest = 3;
const mostSteps = 4000;
const tabs = [
  ['stages', '.stage-detail .scatter-canvas'],
  ['executors', 'table tbody tr[data-row]'],
  ['overview', '.wall-part'],
] as const;

/** The demo with many more tasks like those of its largest stage, each of another length. */
function manyTasks(): Report {
  const report = demoReport();
  const random = generator(9);
  const source = [...report.tasks.stage.keys()].filter((row) => report.tasks.stage[row] === largest);
  const length = Float64Array.from({ length: taskCount }, () => 0.5 + random());
  report.tasks = Object.fromEntries(
    Object.entries(report.tasks).map(([name, column]) => {
      const Column = column.constructor as unknown as {
        from(from: { length: number }, map: (unused: unknown, i: number) => number): typeof column;
      };
      const longer = /Ns$|Bytes$|Records$/.test(name);
      return [
        name,
        Column.from({ length: taskCount }, (_unused, i) =>
          name === 'taskId' || name === 'index' ? i : column[source[i % source.length]!]! * (longer ? length[i]! : 1),
        ),
      ];
    }),
  ) as unknown as Report['tasks'];
  report.stages.find(({ stageId }) => stageId === largest)!.numTasks = taskCount;
  report.concurrency = concurrencyOf(report);
  return report;
}

/** The command counts running tasks in the same way for a page with very many of them. */
function concurrencyOf(report: Report): NonNullable<Report['concurrency']> {
  const model = new Model(report);
  const { timeAt } = profileOfAll(model);
  const steps = runningTasks(model, null);
  const step = Math.floor(steps.time.length / mostSteps) + 1;
  const some = (values: number[]) => values.filter((_, at) => at % step === 0);
  return { time: Float64Array.from(some(steps.time)), running: Uint32Array.from(some(steps.running)), timeAt };
}

let browser: Browser | undefined;
afterAll(async () => browser?.stop());

test('230,000 tasks', async () => {
  browser = await Browser.start();
  const url = browser.save('tasks.html', pageWith(encodeBase64(manyTasks())));
  for (let run = 0; run < 3; run++) {
    const { page, problems } = await browser.open(url, { width: 1600, height: 1000 });
    await page.waitForSelector('.wall-part');
    const shown = await page.evaluate(() => performance.getEntriesByName('sparkprof-shown')[0]!.startTime);
    const clock = await cpuClock(page);
    const times: string[] = [];
    for (const [tab, ready] of tabs) {
      const before = await clock();
      const ms = await page.evaluate(
        async ([id, selector]) => {
          const began = performance.now();
          document.getElementById(`tab-${id}`)!.click();
          while (!document.querySelector(selector!)) await new Promise(requestAnimationFrame);
          await new Promise(requestAnimationFrame);
          return performance.now() - began;
        },
        [tab, ready],
      );
      times.push(`${tab} ${ms.toFixed(0)} ms (CPU ${((await clock()) - before).toFixed(0)} ms)`);
    }
    times.push(await answerKeys(page, 'why is the slowest task slow'));
    console.log(`${taskCount} tasks: opened in ${shown.toFixed(0)} ms; ${times.join(', ')}`);
    expect(problems).toEqual([]);
    await page.close();
  }
});
