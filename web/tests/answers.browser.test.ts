// SPDX-License-Identifier: Apache-2.0
// The answer bar of a report, by keyboard alone.
import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { drawn, hash, narrow, on, wide } from './ask.ts';
import { violations } from './axe.ts';
import { soon } from './browser.ts';

const ask = async (page: Page, text: string) => {
  await page.keyboard.press('Control+k');
  await page.keyboard.type(text);
};
const best = (page: Page) => page.locator('.answers [aria-selected=true]').innerText();
const isOpen = (page: Page) => page.locator('.answers').count();

describe('the answer bar', () => {
  it('leads from "slowest task" to this task, with Enter', async () => {
    await on('', async (page) => {
      await ask(page, 'slowest task');
      await soon(() => best(page)).toMatch(/^Slowest task: \d+/);
      await page.keyboard.press('Enter');
      await soon(() => hash(page)).toMatch(/tab=stages&stage=3\.0&task=\d+.*tasksOf=3\.0/);
      expect(await isOpen(page)).toBe(0);
      // the keyboard goes on from the tab that is shown
      await soon(() => page.evaluate(() => document.activeElement?.id)).toBe('tab-stages');
    });
  });

  it('leads from "why stage 3" to the finding, from a setting to its row, from a function to its callers', async () => {
    await on('tab=stages', async (page) => {
      await ask(page, 'why stage 3');
      await soon(() => best(page)).toMatch(/^Stage 3 waits/);
      await page.keyboard.press('Enter');
      await soon(() => hash(page)).toMatch(/v\.finding=/);
      await ask(page, 'spark.sql.shuffle.partitions');
      await page.keyboard.press('Enter');
      await soon(() => page.locator('.environment tbody tr[data-row]').count()).toBe(1);
      await ask(page, 'HashAggregateExec');
      await page.keyboard.press('ArrowDown');
      await page.keyboard.press('ArrowUp');
      await soon(() => best(page)).toMatch(/HashAggregateExec/);
      await page.keyboard.press('Enter');
      await soon(() => hash(page)).toMatch(/tab=flame.*sandwich=/);
      await drawn(page);
    });
  });

  it('opens and closes with Ctrl-K, and Escape leaves the page as it is', async () => {
    await on('tab=flame&search=join', async (page) => {
      await page.keyboard.press('Control+k');
      await soon(() => isOpen(page)).toBe(1);
      await page.keyboard.press('Control+k');
      await soon(() => isOpen(page)).toBe(0);
      await ask(page, 'stage 4');
      await page.keyboard.press('Escape');
      await soon(() => isOpen(page)).toBe(0);
      expect(await hash(page)).toBe('#tab=flame&search=join');
    });
  });

  it('has links, which open in another tab', async () => {
    await on('', async (page) => {
      await ask(page, 'stage 4');
      await soon(() => page.locator('.answers [aria-selected=true]').getAttribute('href')).toMatch(/#tab=stages&stage=4\.0/);
    });
  });

  for (const [name, size, theme] of [
    ['1600', wide, 'light'],
    ['800', narrow, 'dark'],
  ] as const) {
    it(`has no violation of accessibility at ${name} px, ${theme}`, async () => {
      await on(
        '',
        async (page) => {
          await ask(page, 'sta');
          await soon(() => page.locator('.answer').count()).toBeGreaterThan(3);
          expect(await violations(page)).toEqual([]);
        },
        size,
        theme,
      );
    });
  }
});
