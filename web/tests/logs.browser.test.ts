// SPDX-License-Identifier: Apache-2.0
// The views of what a job left behind, in headless Chromium: the log beside the timeline, errors, templates, metrics.
import { describe, expect, it } from 'vitest';
import { hash, narrow, on, wide } from './ask.ts';
import { resultsFolder, soon } from './browser.ts';

describe('the log beside the timeline', () => {
  it('shows the lines around the moment that was clicked', async () => {
    await on('tab=stages&logs=1', async (page) => {
      const box = (await page.locator('.lanes-canvas').boundingBox())!;
      const middle = 136 + (box.width - 136) / 2;
      await page.mouse.click(box.x + middle, box.y + 8);
      await soon(() => hash(page)).toMatch(/at=\d+/);
      const moment = Number(new URLSearchParams(await page.evaluate(() => location.hash.slice(1))).get('at'));
      const marked = page.locator('.log-panel .log-line.marked');
      await marked.waitFor();
      const times = await page.evaluate(() => document.querySelectorAll('.log-panel .log-line').length);
      expect(times).toBeGreaterThan(10);
      await soon(() => marked.innerText()).toMatch(/INFO|WARN|ERROR/);
      expect(moment).toBeGreaterThan(1000);
      await page.screenshot({ path: `${resultsFolder}log-panel.png` });
    });
  });

  it('stands below the timeline where the page is narrow', async () => {
    await on(
      'tab=stages&logs=1&at=9000',
      async (page) => {
        const lanes = (await page.locator('.timeline-charts').boundingBox())!;
        const panel = (await page.locator('.log-panel').boundingBox())!;
        expect(panel.y).toBeGreaterThanOrEqual(lanes.y + lanes.height - 1);
        expect(panel.height).toBeGreaterThan(200);
        const sideways = await page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth);
        expect(sideways).toBeLessThanOrEqual(0);
        await page.screenshot({ path: `${resultsFolder}log-panel-800.png`, fullPage: true });
      },
      narrow,
      'dark',
    );
  });

  it('is switched on by its button and marks a line’s moment on the timeline', async () => {
    await on('tab=stages', async (page) => {
      await page.click('text=Show log');
      await page.locator('.log-panel .log-line').nth(3).click();
      await soon(() => hash(page)).toMatch(/at=\d+/);
      await soon(() => page.locator('.log-panel .log-record pre').innerText()).toContain('Executor');
    });
  });
});

describe('the Logs tab', () => {
  it('shows an error with its stack and root cause', async () => {
    await on('tab=logs', async (page) => {
      await page.locator('table[aria-label="Errors"] tbody tr').first().click();
      const detail = await page.locator('.error-detail').innerText();
      expect(detail).toContain('rates.csv: truncated');
      expect(detail).toContain('com.example.Rates.of');
      await page.screenshot({ path: `${resultsFolder}logs-error.png`, fullPage: true });
    });
  });

  it('shows a template’s lines only, and those of a level', async () => {
    await on('tab=logs', async (page) => {
      const tab = page.locator('.logs');
      const before = await tab.locator('.log-bar .quiet').first().innerText();
      await tab.locator('table[aria-label="Templates"] tbody tr', { hasText: 'very large size' }).click();
      await soon(() => tab.locator('.log-bar .quiet').first().innerText()).not.toBe(before);
      await soon(() => tab.locator('.log-line').first().innerText()).toContain('very large size');
      await tab.locator('text=all templates').click();
      await tab.locator('.log-bar button', { hasText: 'ERROR' }).click();
      await soon(() => tab.locator('.log-line').count()).toBe(2);
    });
  });

  it('goes by keyboard', async () => {
    await on('tab=logs', async (page) => {
      await page.locator('.logs .log-line').first().focus();
      await page.keyboard.press('ArrowDown');
      await page.keyboard.press('Enter');
      await soon(() => page.locator('.logs .log-record pre').innerText()).not.toBe('');
    });
  });
});

describe('the Metrics tab', () => {
  it('draws each metric with the borders of jobs, and all of them on one axis', async () => {
    await on('tab=metrics', async (page) => {
      await soon(() => page.locator('.metric-graph').count()).toBeGreaterThan(3);
      await page.locator('.curve-label', { hasText: 'Resident memory' }).click();
      await soon(() => hash(page)).toMatch(/metric=process\.rss_bytes/);
      await soon(() => page.locator('.metric-graph', { hasText: '4150 Python worker' }).count()).toBe(1);
      await page.locator('.curve-label', { hasText: 'Heap used' }).click();
      await page.selectOption('.toolbar select', 'stages');
      await page.click('text=Overlay (normalized)');
      await soon(() => page.locator('.metric-graph').count()).toBe(1);
      await soon(() => page.locator('.metric-graph').innerText()).toContain('Resident memory ·');
    });
  });

  it('has the concurrency profile as a table', async () => {
    await on('tab=metrics', async (page) => {
      const text = await page.locator('.profile').innerText();
      expect(text).toMatch(/up to 4 tasks at once/);
      const rows = await page.locator('.profile tbody tr').count();
      expect(rows).toBe(5);
    });
  });

  for (const [name, size] of [
    ['1600', wide],
    ['800', narrow],
  ] as const) {
    for (const theme of ['light', 'dark'] as const) {
      it(`and Logs show at ${name} px, ${theme}`, async () => {
        await on(
          '',
          async (page) => {
            for (const tab of ['metrics', 'logs']) {
              await page.click(`#tab-${tab}`);
              await page.waitForTimeout(80);
              const sideways = await page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth);
              expect(sideways, `${tab} scrolls sideways`).toBeLessThanOrEqual(0);
              await page.screenshot({ path: `${resultsFolder}${tab}-${name}-${theme}.png`, fullPage: true });
            }
          },
          size,
          theme,
        );
      });
    }
  }
});
