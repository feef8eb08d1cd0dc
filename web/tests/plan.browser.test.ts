// SPDX-License-Identifier: Apache-2.0
// The picture of a physical plan: what it shows, and the ways from a node to its stages, by mouse and by keyboard.
import { describe, expect, it } from 'vitest';
import { hash, narrow, on, save, wide } from './ask.ts';
import { resultsFolder, soon } from './browser.ts';
import { encodeBase64, pageWith } from './encode.ts';
import { demoReport } from './make_data.ts';

const detail = '.plan-details';

describe('the list of SQL executions', () => {
  it('shows a description of several lines in one, whole on hover', async () => {
    const report = demoReport();
    report.sql[0]!.description = 'select *\n  from orders\n where id = 1';
    await on(
      'tab=sql&sql=0',
      async (page) => {
        const row = page.locator('table[aria-label="SQL executions"] tbody tr[data-row="0"]');
        await soon(() => row.textContent()).toContain('select * from orders where id = 1');
        expect((await row.boundingBox())!.height).toBeLessThanOrEqual(25);
        expect(await row.locator('td[title*="from orders"]').count()).toBe(1);
      },
      wide,
      'light',
      save('lines.html', pageWith(encodeBase64(report))),
    );
  });
});

describe('the picture of a plan', () => {
  it('shows nodes with their figures on the grounds of their stages', async () => {
    await on('tab=sql&sql=0', async (page) => {
      await soon(() => page.locator('.plan-node b').allInnerTexts()).toEqual([
        'HashAggregate',
        'Project',
        'SortMergeJoin',
        'Sort',
        'Exchange',
        'Scan parquet orders',
        'Sort',
        'Exchange',
        'Scan parquet customers',
      ]);
      await soon(() => page.locator('.plan-label').allTextContents()).toEqual(['Stage 3', 'Stage 1', 'Stage 2']);
      // bytes on the way, and the color of the most expensive node
      expect((await page.locator('.plan-flow').allTextContents()).join()).toMatch(/MiB/);
      const fill = (node: string) =>
        page
          .locator(`.plan-node:has-text("${node}")`)
          .first()
          .evaluate((one) => getComputedStyle(one).backgroundColor);
      expect(await fill('HashAggregate')).not.toBe(await fill('Exchange'));
      await soon(() => page.locator('.plan-node').first().getAttribute('aria-description')).toBe(
        'HashAggregate, stage 3, 25 rows, 4.2 s CPU, 300 ms waiting',
      );
    });
  });

  it('has the graph of its jobs and stages, one tab stop, whose boxes lead to the stages', async () => {
    await on('tab=sql&sql=0', async (page) => {
      const graph = page.locator('.stage-graph');
      await soon(() => graph.locator('button').count()).toBeGreaterThan(2);
      expect(await graph.locator('path').count()).toBe(2);
      const [first, last] = [graph.locator('button:has-text("Stage 1")'), graph.locator('button:has-text("Stage 3")')];
      expect((await first.boundingBox())!.x).toBeLessThan((await last.boundingBox())!.x);
      expect(await graph.locator('button[tabindex="0"]').count()).toBe(1);
      await graph.locator('button').first().focus();
      await page.keyboard.press('ArrowRight');
      await page.keyboard.press('Enter');
      await soon(() => hash(page)).toMatch(/tab=stages.*tasksOf=\d\.0/);
    });
  });

  it('leads from a node to the flame graph and the tasks of its stage', async () => {
    await on('tab=sql&sql=0', async (page) => {
      await page.click('.plan-node:has-text("Scan parquet customers")');
      await soon(() => page.locator(detail).innerText()).toMatch(/Stage 2.*4 tasks[\s\S]*scan time\s+1\.4 s/);
      await page.locator(detail).getByRole('button', { name: 'Flame graph', exact: true }).click();
      await soon(() => hash(page)).toMatch(/stage=2/);
      await soon(() => page.getAttribute('#tab-flame', 'aria-selected')).toBe('true');
    });
    await on('tab=sql&sql=0', async (page) => {
      await page.click('.plan-node:has-text("Exchange") >> nth=0');
      await soon(() => page.locator(detail).innerText()).toMatch(/Stage 1[\s\S]*Stage 3/);
      await page.locator(detail).getByRole('button', { name: 'Tasks' }).first().click();
      await soon(() => hash(page)).toMatch(/tasksOf=1\.0/);
    });
  });

  it('opens the flame graph of one operator', async () => {
    await on('tab=sql&sql=0', async (page) => {
      await page.click('.plan-node:has-text("HashAggregate")');
      await soon(() => page.locator(detail).innerText()).toMatch(/CPU time\s+4\.2 s[\s\S]*Waiting\s+300 ms/);
      await page.locator(detail).getByRole('button', { name: 'Flame graph of the operator' }).click();
      await soon(() => hash(page)).toMatch(/sql=0&node=0/);
    });
  });

  it('shows what adaptive execution changed', async () => {
    await on('tab=sql&sql=0', async (page) => {
      await page.getByText('Adaptive execution changed the plan once').click();
      await soon(() => page.locator('details li').first().innerText()).toBe('After stage 2: + AQEShuffleRead coalesced (2×)');
    });
  });

  it('shows what an engine leaves to Spark, why, and its time with operators below', async () => {
    await on('tab=sql&sql=2', async (page) => {
      await page.getByText('Spark runs 1 operator that the engine does not: 1.5 s').click();
      await soon(() => page.locator('.plan-fallbacks li').innerText()).toMatch(/1\.5 s\s+HashAggregate\s+the collation is not supported/);
      await soon(() => page.locator('.plan-node').getAttribute('aria-description')).toMatch(/2\.0 s with operators below, left to Spark/);
      expect(await page.locator('.plan-node').getAttribute('class')).toMatch(/fallback/);
      await soon(() => page.locator(detail).innerText()).toMatch(
        /Elapsed, with operators below\s+2\.0 s[\s\S]*leaves it to Spark \(1\.5 s with conversions of rows\): the collation/,
      );
    });
  });

  it('is walked through by the arrow keys, one node in the order of tabs', async () => {
    await on('tab=sql&sql=0', async (page) => {
      await soon(() => page.locator('.plan-node[tabindex="0"]').count()).toBe(1);
      await page.locator('.plan-node[tabindex="0"]').focus();
      for (const key of ['Home', 'ArrowDown', 'ArrowDown', 'ArrowRight']) await page.keyboard.press(key);
      await soon(() => page.evaluate(() => document.activeElement?.querySelector('b')?.textContent)).toBe('Sort');
      await soon(() => page.locator(`${detail} h2`).innerText()).toBe('Sort');
      await page.keyboard.press('ArrowUp');
      await soon(() => page.locator(`${detail} h2`).innerText()).toBe('SortMergeJoin');
    });
  });

  it('is a list, too', async () => {
    await on('tab=sql&sql=0', async (page) => {
      await page.getByText('As a list').click();
      await soon(() => page.locator('[role=treeitem]').count()).toBe(9);
    });
  });

  for (const [name, size] of [
    ['1600', wide],
    ['800', narrow],
  ] as const) {
    for (const theme of ['light', 'dark'] as const) {
      it(`looks at ${name} px, ${theme}`, async () => {
        await on(
          'tab=sql&sql=0',
          async (page) => {
            await page.waitForSelector('.plan-node');
            expect(await page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth)).toBeLessThanOrEqual(0);
            await page.screenshot({ path: `${resultsFolder}plan-${name}-${theme}.png`, fullPage: true });
          },
          size,
          theme,
        );
      });
    }
  }
});
