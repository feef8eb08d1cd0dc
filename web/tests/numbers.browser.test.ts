// SPDX-License-Identifier: Apache-2.0
// The numbers on the page are those that the command prints for the same question. Needs SPARKPROF_BIN and an event log or
// recording, SPARKPROF_LOG.
import { execFileSync } from 'node:child_process';
import { pathToFileURL } from 'node:url';
import type { Page } from 'playwright-core';
import { beforeAll, describe, expect, it } from 'vitest';
import { on, pathOf, wide } from './ask.ts';
import { soon } from './browser.ts';

const command = process.env.SPARKPROF_BIN;
const log = process.env.SPARKPROF_LOG;
const most = 200;  // rows of a table on paper

type Row = Record<string, number | string | null>;
interface Application {
  durationMs: number; summary: { counts: Record<string, number> };
  concurrency: { peak: number; mean: number; timeAtMs: number[] }; findings: { title: string; gainNs: number | null }[];
}

const ask = (...parts: string[]) => JSON.parse(execFileSync(command!, parts, { encoding: 'utf8', maxBuffer: 1 << 30, stdio: ['ignore', 'pipe', 'ignore'] })) as unknown;

/** Cells of a table by the heads of its columns: the exact value where a hover shows one, else the text. */
async function tableOf(page: Page, label: string): Promise<Record<string, string>[]> {
  return await page.locator(`table[aria-label="${label}"]`).evaluate((table) => {
    const heads = [...table.querySelectorAll('thead th')].map((head) => (head.querySelector('button') ? head.textContent.replace(/ [↑↓]$/, '') : ''));
    return [...table.querySelectorAll('tbody tr[data-row]')].map((row) => Object.fromEntries([...row.querySelectorAll('td')].map((cell, i) =>
      [heads[i]!, /^[-\d,.]+ ?(ns|bytes)?$/.test(cell.title) ? cell.title : cell.textContent])));
  });
}

const number = (text: string | undefined) => (text === undefined || text === '–' ? 0 : Number(text.replace(/[^\d.-]/g, '')));

describe.skipIf(!command || !log)('numbers of a real application (SPARKPROF_BIN, SPARKPROF_LOG)', () => {
  let url = '';
  let application: Application;
  beforeAll(() => {
    const report = pathOf('numbers.html');
    application = (ask('analyze', log!, '--json', '--report', report) as { applications: Application[] }).applications[0]!;
    url = pathToFileURL(report).href;
  }, 300_000);

  it('of stages', async () => {
    const stages = ask('events', log!, 'stages', '--sort', 'stageId,attemptId', '--json') as Row[];
    await on('tab=stages', async (page) => {
      await page.emulateMedia({ media: 'print' });
      await soon(() => page.locator('.stages tbody tr[data-row]').count()).toBe(Math.min(most, stages.length));
      const shown = await tableOf(page, 'Stages');
      shown.forEach((row, i) => {
        const stage = stages[i]!;
        const id = stage.attemptId ? `${stage.stageId}.${stage.attemptId}` : `${stage.stageId}`;
        expect(row.Stage).toBe(id);
        expect(Number.parseInt(row.Tasks!, 10), `tasks of stage ${id}`).toBe(stage.numTasks);
        for (const [column, field, factor] of [
          ['Run time', 'executorRunTime', 1e6], ['CPU', 'executorCpuTime', 1], ['GC', 'jvmGcTime', 1e6], ['Input', 'inputBytes', 1], ['Shuffle in', 'shuffleReadBytes', 1], ['Shuffle out', 'shuffleWriteBytes', 1],
        ] as const) expect(number(row[column]), `${column} of stage ${id}`).toBe(Number(stage[field] ?? 0) * factor);
      });
    }, wide, 'light', url);
  });

  it('of executors', async () => {
    const executors = ask('events', log!, 'executors', '--json') as Row[];
    await on('tab=executors', async (page) => {
      await page.emulateMedia({ media: 'print' });
      await soon(() => page.locator('table[aria-label=Executors] tbody tr[data-row]').count()).toBe(Math.min(most, executors.length));
      for (const row of await tableOf(page, 'Executors')) {
        const executor = executors.find(({ id }) => id === row.Executor)!;
        for (const [column, field] of [['Tasks', 'totalTasks'], ['Failed', 'failedTasks'], ['Input', 'totalInputBytes']] as const) {
          expect(number(row[column]), `${column} of executor ${row.Executor}`).toBe(Number(executor[field] ?? 0));
        }
        expect(number(row.Shuffle), `shuffle of executor ${row.Executor}`).toBe(Number(executor.totalShuffleRead ?? 0) + Number(executor.totalShuffleWrite ?? 0));
      }
    }, wide, 'light', url);
  });

  it('of findings and concurrency', async () => {
    await on('', async (page) => {
      await soon(() => page.locator('.card h3').allTextContents()).toEqual(application.findings.map(({ title }) => title));
      await page.click('#tab-metrics');
      await soon(() => page.locator('.profile h2').innerText()).toContain(`up to ${application.concurrency.peak} tasks at once, ${application.concurrency.mean.toFixed(1)} on average`);
    }, wide, 'light', url);
  });

  it('never above 100%', async () => {
    await on('', async (page) => {
      for (const tab of await page.locator('[role=tab]').evaluateAll((list) => list.map(({ id }) => id))) {
        await page.click(`#${tab}`);
        const text = await page.locator('#content').innerText();
        expect([...text.matchAll(/(?<![+\d.])(\d+(?:\.\d+)?)%/g)].map(([, percent]) => Number(percent)).filter((percent) => percent > 100), tab).toEqual([]);
      }
    }, wide, 'light', url);
  });
});
