// SPDX-License-Identifier: Apache-2.0
// The pages of suite runs and monitored nodes in headless Chromium, with a made-up server behind them.
import { describe, expect, it } from 'vitest';
import { demoReport } from './make_data.ts';
import { soon } from './browser.ts';
import { fixtureNow } from './fixture_server.ts';
import { address, on, server } from './server_pages.ts';

describe('runs', () => {
  it('are opened by keyboard', async () => {
    await on('/runs', async (page) => {
      await page.locator('tbody a').first().focus();
      await page.keyboard.press('ArrowDown');
      await page.keyboard.press('Enter');
      await soon(() => address(page)).toBe('/runs/23');
    });
  });
  it('have maxima by type and the tree of their processes', async () => {
    await on('/runs/24', async (page) => {
      await soon(() => page.locator('[aria-label="Types of processes"] tbody tr').allInnerTexts()).toHaveLength(3);
      expect(await page.locator('[aria-label="Processes"] tbody tr').count()).toBe(8);
      expect(await page.locator('[aria-label="Jobs"]').innerText()).toContain('1.01 ± 0.02');
    });
  });
  it('show the change of each job from the run before', async () => {
    await on('/runs/14', async (page) => {
      const jobs = page.locator('[aria-label="Jobs"] tbody tr');
      // version 2 made it slower
      await soon(() => jobs.first().locator('.delta').first().innerText()).toMatch(/^\+(2[4-9]|3\d)%$/);
      expect(await jobs.first().locator('.delta').count()).toBe(3);
    });
  });
  it('have the memory of Java and of Python apart, with the records of the log', async () => {
    await on('/runs/24', async (page) => {
      const memory = page.locator('[aria-label="Memory over time"]');
      await soon(() => memory.locator('h2').allInnerTexts()).toEqual([
        'Resident memory of the largest Java processes',
        'Resident memory of the largest Python processes',
      ]);
      await soon(() => memory.locator('svg[role=img]').count()).toBe(2);
      expect(await memory.locator('svg[role=img]').first().locator('.mark').count()).toBe(4);
    });
  });
  it('link to applications that the server has, and to no others', async () => {
    const link = '[aria-label="Processes"] a[href^="/applications/"]';
    await on('/runs/24', async (page) => {
      await soon(() => page.locator(link).count()).toBe(8);
    });
    server.applications = server.applications.slice(1);
    await on('/runs/24', async (page) => {
      await soon(() => page.locator('[aria-label="Processes"] tbody tr').count()).toBe(8);
      await soon(async () => server.requests.some((request) => /applications\?search=app-20261121100000-0000/.test(request))).toBe(true);
      expect(await page.locator(link).count()).toBe(0);
    });
  });
  it('of which the level changed are named with what changed', async () => {
    await on('/longevity?suite=nightly&job=sort%2C+size+1000', async (page) => {
      await soon(() => page.locator('[aria-label="Changes"] tbody').innerText()).toMatch(/^14\s.*version 1 → 2/s);
      await soon(() => page.locator('.run-chart .version').textContent()).toBe('version 1 → 22');
    });
  });
  it('show who used a node', async () => {
    await on('/infrastructure?run=24', async (page) => {
      await page.locator('.heat').first().focus();
      for (const key of ['Enter', 'ArrowDown', 'ArrowRight']) await page.keyboard.press(key);
      await soon(() => page.locator('[aria-label="Processes of the cell"] tbody tr').count()).toBeGreaterThan(1);
      expect(await address(page)).toContain('node=node-2&span=1');
    });
  });
});

describe('monitored nodes', () => {
  it('are shown for any time, and a cell shows who used it', async () => {
    await on('/infrastructure', async (page) => {
      await page.waitForSelector('.heat td');
      expect(await page.locator('.heat').count()).toBe(4);
      expect(await page.locator('[aria-label="CPU"] th').allInnerTexts()).toEqual([
        expect.stringMatching(/^node-1/),
        expect.stringMatching(/^node-2/),
        expect.stringMatching(/^node-3\.example\.com/),
      ]);
      expect(await page.locator('.heat-none').count()).toBeGreaterThan(0);
      expect(await page.locator('[aria-label="CPU"] td').first().getAttribute('title')).toMatch(/[\d.]+ cores of \d+\.0 cores$/);
      expect(await page.locator('.heat-axis').first().locator('span').count()).toBe(5);
      expect(await page.locator('.heat').evaluateAll((maps) => maps.filter((map) => map.clientWidth < 1500).length)).toBe(0);
      await page.locator('[aria-label="CPU"] tr').nth(2).locator('td').nth(30).click();
      await soon(() => page.locator('[aria-label="Processes of the cell"] tbody tr').count()).toBe(3);
      expect(await address(page)).toContain('node=node-3.example.com&span=30');
      expect(await address(page)).toContain(`from=${fixtureNow - 3600e3}&to=${fixtureNow}`);
      const users = page.locator('[aria-label="Processes of the cell"]');
      expect(await users.innerText()).toContain('ana');
      await users.getByRole('button', { name: 'Resident, max' }).click();
      await soon(() => users.locator('tbody tr').first().innerText()).toContain('NodeManager');
      await page.locator('.range select').selectOption('7d');
      await soon(() => Promise.resolve(server.requests.some((request) => /nodes\?from=\d+&spans=48/.test(request)))).toBe(true);
      expect(await address(page)).toBe('/infrastructure?by=memory&range=7d');
    });
  });
  it('link to the flame graph of an application for the time of the cell', async () => {
    const [row] = server.applications;
    const begin = demoReport().application.startTime;
    await on(`/applications/${row!.id}?from=${begin + 2000}&to=${begin + 6000}`, async (page) => {
      await soon(() => page.evaluate(() => location.hash)).toContain('from=2000&to=6000');
      expect(await page.evaluate(() => location.hash)).toContain('tab=flame');
    });
  });
});
