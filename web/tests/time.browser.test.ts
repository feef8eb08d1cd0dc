// SPDX-License-Identifier: Apache-2.0
// Views over time (time order, storage, streaming), and source code beside frames.
import { describe, expect, it } from 'vitest';
import { detail, drawn, hash, on } from './ask.ts';
import { soon } from './browser.ts';

describe('time order', () => {
  it('says why there is none, until one thread is chosen, and stays in the address', async () => {
    await on('tab=flame', async (page) => {
      await drawn(page);
      await page.keyboard.press('o');
      await soon(() => page.locator('.toolbar [role=status]').innerText()).toMatch(/one thread or one task/);
      await soon(() => hash(page)).toMatch(/timeOrder=1/);
      await page.selectOption('.side-a .add', 'thread');
      await page.selectOption('.side-a .add', {
        label: await page
          .locator('.side-a .add option')
          .filter({ hasText: /worker-0/ })
          .first()
          .innerText(),
      });
      await soon(() => page.locator('.time-scale span').count()).toBe(5);
      await soon(() => page.locator('.flame-note').innerText()).toMatch(/in order of time, in steps of 1 s/);
      await page.locator('.flame-area').focus();
      await page.keyboard.press('ArrowLeft');
      await soon(() => detail(page)).toMatch(/time 2–3\d s/);
    });
  });

  it('moves through frames by keyboard and zooms into a moment', async () => {
    await on('tab=flame&thread=4100&timeOrder=1', async (page) => {
      await drawn(page);
      await page.locator('.flame-area').focus();
      await page.keyboard.press('ArrowDown');
      await page.keyboard.press('ArrowDown');
      await page.keyboard.press('ArrowRight');
      await page.keyboard.press('Enter');
      await soon(() => hash(page)).toMatch(/zoom=\d+/);
      const [from, to] = (await page.locator('.time-scale span').allTextContents()).map((text) => Number.parseFloat(text));
      expect(from).toBeGreaterThan(2);
      expect(to).toBeGreaterThan(from!);
    });
  });
});

describe('cached data', () => {
  it('show what was stored, or that it is not known', async () => {
    await on('tab=storage', async (page) => {
      const table = page.locator('table[aria-label="Cached RDDs"]');
      await soon(() => table.locator('tbody tr[data-row]').count()).toBe(3);
      await soon(() => page.locator('.metric-graph').count()).toBe(2);
      expect(await table.innerText()).toMatch(/192 MiB/);
      await page.locator('table[aria-label="Cached RDDs"] a.link', { hasText: '2' }).first().click();
      await soon(() => hash(page)).toMatch(/stage=2/);
    });
  });
});

describe('streaming queries', () => {
  it('have curves and batches, one query at a time', async () => {
    await on('tab=streaming', async (page) => {
      await soon(() => page.locator('.metric-graph').count()).toBeGreaterThan(5);
      await page.emulateMedia({ media: 'print' });
      await soon(() => page.locator('table[aria-label=Batches] tbody tr[data-row]').count()).toBe(18);
      await page.emulateMedia({ media: 'screen' });
      await page.selectOption('.streaming select', '1');
      await soon(() => page.locator('.streaming').innerText()).toMatch(/topic not present[^]*reported no batch/);
      await soon(() => hash(page)).toMatch(/v\.query=1/);
    });
  });
});

describe('source code', () => {
  it('shows the lines of the picked function with what they cost', async () => {
    await on('tab=flame&sandwich=com.example.orders.Pricing.discount', async (page) => {
      await drawn(page);
      await page.locator('.flame-area').focus();
      await page.keyboard.press('ArrowDown');
      await soon(() => page.locator('.source-code h2').innerText()).toMatch(/Pricing\.scala/);
      const sampled = page.locator('.source-code tr.sampled');
      await soon(() => sampled.allInnerTexts()).toEqual(
        expect.arrayContaining([expect.stringMatching(/^57\s+[\d.]+%[^]*lookup\(order\.sku\)/), expect.stringMatching(/^61\s/)]),
      );
      await page.click('text=Show the whole file');
      await soon(() => page.locator('.source-code tbody tr').count()).toBe(95);
      await soon(() => hash(page)).toMatch(/v\.wholeFile=1/);
    });
  });
});
