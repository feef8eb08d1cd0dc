// SPDX-License-Identifier: Apache-2.0
// axe-core on every tab, and what the keyboard alone can do.
import { describe, expect, it } from 'vitest';
import { drawn, hash, narrow, on, wide } from './ask.ts';
import { violations } from './axe.ts';
import { soon } from './browser.ts';

describe('axe-core', () => {
  for (const [name, size, theme] of [
    ['1600', wide, 'light'],
    ['800', narrow, 'dark'],
  ] as const) {
    it(`finds no violation on any tab at ${name} px, ${theme}`, async () => {
      await on(
        'height=400&logs=1&tasksOf=3.0',
        async (page) => {
          const found: Record<string, string[]> = {};
          for (const tab of await page.locator('[role=tab]').evaluateAll((list) => list.map(({ id }) => id))) {
            await page.click(`#${tab}`);
            if (tab === 'tab-flame') await drawn(page);
            const own = await violations(page);
            if (own.length > 0) found[tab] = own;
          }
          expect(found).toEqual({});
        },
        size,
        theme,
      );
    });
  }

  it('finds no violation in a comparison and in the tree of frames', async () => {
    await on('tab=flame&stage=3.0&task=slowest5&versus=1&versus.stage=3.0&versus.task=median&tree=1', async (page) => {
      await page.waitForSelector('.tree li');
      expect(await violations(page)).toEqual([]);
    });
  });
});

describe('the keyboard', () => {
  it('comes to the verdict right after the time axis, whose bar and events arrow keys walk along', async () => {
    await on('', async (page) => {
      const focused = () => page.evaluate(() => document.activeElement?.getAttribute('aria-label') ?? document.activeElement?.tagName);
      const first = page.locator('.wall-part').first();
      await first.focus();
      await page.keyboard.press('ArrowRight');
      await soon(focused).toMatch(/^Waiting for executors/);
      await first.focus();
      await page.keyboard.press('Tab');
      await soon(focused).toMatch(/executor 1 added/);
      await page.keyboard.press('Tab');
      await soon(focused).toBe('Height of the timeline');
      await page.keyboard.press('Tab');
      await soon(() => page.evaluate(() => document.activeElement?.closest('.verdict, .findings') !== null)).toBe(true);
    });
  });

  it('has one tab stop in a table, which arrow keys move', async () => {
    await on('tab=stages&tasksOf=3.0', async (page) => {
      const links = page.locator('table[aria-label="Tasks of stage 3"] tbody a');
      const rowOfFocus = () => page.evaluate(() => document.activeElement?.closest('tr')?.getAttribute('aria-rowindex'));
      await soon(() => links.and(page.locator('[tabindex="0"]')).count()).toBe(1);
      await links.first().focus();
      await page.keyboard.press('ArrowDown');
      await soon(rowOfFocus).toBe('3');
      await page.keyboard.press('End');
      await soon(rowOfFocus).toBe('41');
      await page.keyboard.press('Home');
      await page.keyboard.press('Enter');
      await soon(() => hash(page)).toMatch(/tab=flame&stage=3\.0&task=\d+/);
    });
  });

  it('moves through the bars of the timeline and selects one', async () => {
    await on('tab=stages&height=400', async (page) => {
      await page.locator('.lanes-host').focus();
      await page.keyboard.press('ArrowRight');
      await soon(() => page.locator('.timeline [role=status]').innerText()).toMatch(/^Job 0 /);
      await page.keyboard.press('ArrowDown');
      await soon(() => page.locator('.timeline [role=status]').innerText()).toMatch(/^Stage 0 /);
      await page.keyboard.press('ArrowRight');
      await page.keyboard.press('Enter');
      await soon(() => hash(page)).toMatch(/stage=1\.0/);
      await page.keyboard.press('+');
      await soon(() => hash(page)).toMatch(/window=/);
      await page.keyboard.press('0');
      await soon(() => hash(page)).not.toMatch(/window=/);
    });
  });
});
