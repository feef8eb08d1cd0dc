// SPDX-License-Identifier: Apache-2.0
// The answer bar on the pages of a collector.
import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { violations } from './axe.ts';
import { soon } from './browser.ts';
import { address, on, server } from './server_pages.ts';

const ask = async (page: Page, text: string) => {
  await page.keyboard.press('Control+k');
  await page.keyboard.type(text);
};
const best = (page: Page) => page.locator('.answers [aria-selected=true]');

describe('the answer bar of a collector', () => {
  it('leads to applications, groups, users and pages', async () => {
    await on('/groups', async (page) => {
      await page.waitForSelector('table');
      await ask(page, 'orders_daily');
      await soon(() => page.locator('.answers [role=group]').first().getAttribute('aria-label')).toBe('Applications');
      expect(await violations(page)).toEqual([]);
      const href = await best(page).getAttribute('href');
      await page.keyboard.press('Enter');
      await soon(() => address(page)).toBe(href);
      await page.waitForSelector('.overview');
      for (const [text, path] of [
        ['nightly-orders', '/groups/nightly-orders'],
        ['user chris', '/?user=chris'],
        ['fleet', '/fleet'],
        ['failed applications', '/?status=failed'],
      ] as const) {
        await ask(page, text);
        await soon(() => best(page).getAttribute('href')).toBe(path);
        await page.keyboard.press('Escape');
      }
    });
  });

  it('compares the application of a page with its run of yesterday', async () => {
    const own = server.applications.find(({ status }) => status === 'finished')!;
    const earlier = server.applications.filter(({ name }) => name === own.name && own.status === 'finished').at(-1)!;
    const noon = new Date(own.startTime).setHours(12, 0, 0, 0);
    for (const row of server.applications) if (row.name === own.name && row !== own) row.name = 'other';
    Object.assign(own, { startTime: noon });
    Object.assign(earlier, { name: own.name, group: own.group, status: 'finished', startTime: noon - 86400e3 });
    await on(`/applications/${own.id}`, async (page) => {
      await page.waitForSelector('.overview');
      await ask(page, "compare with yesterday's run");
      await soon(() => best(page).getAttribute('href')).toBe(`/compare?a=${own.id}&b=${earlier.id}`);
      await page.keyboard.press('Enter');
      await soon(() => address(page)).toBe(`/compare?a=${own.id}&b=${earlier.id}`);
    });
  });
});
