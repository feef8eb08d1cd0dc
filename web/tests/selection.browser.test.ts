// SPDX-License-Identifier: Apache-2.0
// What filters do on each tab, what the URL keeps, and how the page prints.
import { describe, expect, it } from 'vitest';
import { drawn, hash, on, save, wide } from './ask.ts';
import { soon } from './browser.ts';
import { encodeBase64, pageWith } from './encode.ts';
import { demoReport } from './make_data.ts';

describe('filters', () => {
  it('that a tab does not use are named and can be cleared', async () => {
    await on('tab=environment&from=2000&to=5000&stage=3.0', async (page) => {
      await soon(() => page.locator('.filter-note').innerText()).toMatch(/Not applied on this tab: stage 3, time 2–5 s\./);
      await page.locator('.filter-note .link').click();
      await soon(() => hash(page)).not.toMatch(/from=|stage=/);
      expect(await page.locator('.filter-note').count()).toBe(0);
    });
  });

  it('that hide rows say how many', async () => {
    await on('tab=stages&search=HashAggregate%24', async (page) => {
      await soon(() => page.locator('.filter-note').innerText()).toMatch(/^None of 7 stages match search “HashAggregate\$”/);
      await page.locator('.filter-note .link').click();
      await soon(() => page.locator('.stages-list tbody tr').count()).toBe(7);
    });
    await on('tab=stages&from=0&to=3000', async (page) => {
      await soon(() => page.locator('.filter-note').innerText()).toMatch(/^1 of 7 stages matches time 0–3 s/);
    });
  });

  it('by a tag of jobs are chosen from a menu and kept in the URL', async () => {
    await on('tab=stages&tasksOf=-', async (page) => {
      await page.locator('.add').selectOption('tag');
      await page.locator('.add').selectOption('user:analyst');
      await soon(() => hash(page)).toMatch(/tag=user%3Aanalyst/);
      expect(await page.locator('.selection .chip').innerText()).toMatch(/tag: user:analyst/);
      await soon(() => page.locator('.stages-list .filter-note').innerText()).toMatch(/of 7 stages match(es)? tag user:analyst/);
      await page.click('#tab-flame');
      await drawn(page);
      const all = await page.locator('.totals').innerText();
      await page.locator('.selection .chip-remove').click();
      await soon(() => page.locator('.totals').innerText()).not.toBe(all);
    });
  });

  it('by host are below the executors', async () => {
    await on('tab=executors', async (page) => {
      await page.locator('.add').selectOption('executor');
      await page.locator('.add').selectOption('@worker-a');
      await soon(() => hash(page)).toMatch(/executor=%40worker-a/);
      expect(await page.locator('.selection .chip').innerText()).toMatch(/executor:\s+those\s+of worker-a/);
    });
  });

  it('leave sums that cover all tasks, not those in the page', async () => {
    const report = demoReport();
    report.executors = report.executors.map((executor) => ({
      ...executor,
      totalTasks: 1_000_000,
      failedTasks: 7,
      totals: { executorRunTimeNs: 36e12 },
    }));
    await on(
      'tab=executors',
      async (page) => {
        const row = page.locator('table[aria-label=Executors] tbody tr').nth(1);
        await soon(() => row.innerText()).toMatch(/1\.00 M\s+7\s+10\.0 h/);
      },
      wide,
      'light',
      save('many.html', pageWith(encodeBase64(report))),
    );
  });
});

describe('the URL', () => {
  it('keeps the sort order, toggles and the node of a plan', async () => {
    await on('tab=stages&tasksOf=-', async (page) => {
      await page.locator('th button', { hasText: 'GC' }).click();
      await soon(() => hash(page)).toMatch(/v\.sort\.Stages=-gc/);
      await page.click('#tab-metrics');
      await page.click('text=Overlay (normalized)');
      await soon(() => hash(page)).toMatch(/v\.overlay=1/);
      await page.click('#tab-sql');
      await page.locator('.plan-node').last().click();
      await soon(() => hash(page)).toMatch(/v\.node\.\d+=\d+/);
      await page.reload();
      await soon(() => page.locator('.plan-node').last().getAttribute('aria-pressed')).toBe('true');
      await page.click('#tab-stages');
      await soon(() => page.locator('th[aria-sort=descending]').innerText()).toMatch(/GC/);
    });
  });
});

describe('a stage', () => {
  it('shows its tasks as points; a brush selects some, and they compare with the others', async () => {
    await on('tab=stages&tasksOf=3.0', async (page) => {
      await page.locator('.scatter-host').scrollIntoViewIfNeeded();
      const box = (await page.locator('.scatter-canvas').boundingBox())!;
      await page.mouse.move(box.x + 78, box.y + 4);
      await page.mouse.down();
      await page.mouse.move(box.x + box.width - 2, box.y + 100, { steps: 3 });
      await page.mouse.up();
      await soon(() => hash(page)).toMatch(/tab=stages&stage=3\.0&task=\d+%2C\d+/);
      await page.click('text=Compare with the other tasks');
      await drawn(page);
      await soon(() => page.locator('.compared-metrics').innerText()).toMatch(
        /Means of 2 tasks and 38 tasks[\s\S]*Tasks \d+, \d+\s+38 tasks[\s\S]*Duration\s+[\d.]+ s\s+[\d.]+ ms\s+\d+×/,
      );
    });
  });
});

describe('the Memory tab', () => {
  it('stacks the parts of each executor and lists where memory ran out', async () => {
    const report = demoReport();
    report.executors[2] = {
      ...report.executors[2]!,
      removeTime: report.application.startTime + 20_000,
      removeReason: 'Container killed, exit code 137',
    };
    await on(
      'tab=memory',
      async (page) => {
        await soon(() => page.locator('.memory .metric-graph').count()).toBe(4);
        await soon(() => page.locator('.memory .metric-graph').first().innerText()).toMatch(/Python, resident[\s\S]*heap used/);
        await soon(() => page.locator('.memory').innerText()).toMatch(/Out of memory[\s\S]*20 s executor 2: Container killed/);
      },
      wide,
      'light',
      save('memory.html', pageWith(encodeBase64(report))),
    );
  });
});

describe('paper', () => {
  it('gets whole tables in light colors', async () => {
    await on('tab=stages&tasksOf=3.0&theme=dark', async (page) => {
      await page.emulateMedia({ media: 'print' });
      await soon(() => page.locator('table[aria-label="Tasks of stage 3"] tbody tr').count()).toBe(40);
      await soon(() => page.evaluate(() => getComputedStyle(document.body).backgroundColor)).toBe('rgb(255, 255, 255)');
      expect((await page.pdf()).length).toBeGreaterThan(10_000);
      // the width of A4 between its margins
      await page.setViewportSize({ width: 720, height: 1000 });
      const row = page.locator('table[aria-label="Stages"] tbody tr').first().locator('td');
      await soon(async () => (await row.nth(1).boundingBox())!.width).toBeGreaterThan(150);
      const last = (await row.locator('visible=true').last().boundingBox())!;
      expect(last.x + last.width).toBeLessThanOrEqual(720);
    });
  });
});
