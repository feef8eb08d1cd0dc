// SPDX-License-Identifier: Apache-2.0
// The page of `sparkprof compare -o`.
import { gzipSync } from 'node:zlib';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { violations } from './axe.ts';
import { Browser, resultsFolder, soon } from './browser.ts';
import { encodeBase64 } from './encode.ts';
import { compareHtml, makeChange } from './make_change.ts';
import { demoReport } from './make_data.ts';

let browser: Browser;
let url: string;
beforeAll(async () => {
  browser = await Browser.start();
  const data = encodeBase64(demoReport());
  url = browser.save('compare.html', compareHtml(makeChange(), data, data));
});
afterAll(() => browser.stop());

const wide = { width: 1600, height: 1000 };
const ready = '.verdict-line';

describe('the page of a comparison', () => {
  it('says first how much longer the run took, and why', async () => {
    const { page, problems } = await browser.open(url, wide, 'light', ready);
    expect(await page.innerText('.verdict-line')).toBe('24.0 s longer: 64.0 s, 40.0 s before (+60.0%).');
    expect(await page.innerText('.verdict-finding')).toMatch(/^collect at orders\.py:60: 38\.0 s of Python.*\+21\.0 s$/);
    expect(await page.locator('.causes b').allInnerTexts()).toEqual(['+21.0 s', '+3.6 s', '−600 ms']);
    expect(await page.innerText('[aria-label="Plans that differ"]')).toMatch(/Gone: BroadcastHashJoin\s+New: Sort ×2, SortMergeJoin/);
    expect(await page.innerText('[aria-label="Settings that differ"]')).toMatch(/autoBroadcastJoinThreshold\s+not set → -1/);
    expect(await page.innerText('[aria-label="New findings"]')).toContain('Python takes 70.1% of task time');
    expect(problems).toEqual([]);
  });

  it('calls what is within the noise no real change', async () => {
    const data = encodeBase64(demoReport());
    const change = { ...makeChange(), changePercent: 1.2 };
    change.after.durationMs = 40_500;
    const { page } = await browser.open(browser.save('same.html', compareHtml(change, data, data)), wide, 'light', ready);
    expect(await page.innerText('.verdict-line')).toBe('No real change: 40.5 s, 40.0 s before (+1.2%).');
  });

  it('shows both runs as columns and as bars of one scale', async () => {
    const { page } = await browser.open(url, wide, 'light', ready);
    const driver = page.locator('.two-runs tr', { hasText: 'Driver' });
    expect(await driver.locator('td').allInnerTexts()).toEqual(['6.0 s', '9.6 s', '1.60×']);
    const widths = await page.locator('.wall-bar').evaluateAll((bars) => bars.map((bar) => bar.getBoundingClientRect().width));
    expect(widths[0]! / widths[1]!).toBeCloseTo(40 / 64, 2);
  });

  it('has no times over each other below a short bar', async () => {
    const data = encodeBase64(demoReport());
    const change = makeChange();
    change.before.durationMs = change.after.durationMs / 5;
    const short = browser.save('short.html', compareHtml(change, data, data));
    const { page } = await browser.open(short, { width: 800, height: 1000 }, 'light', ready);
    const places = await page
      .locator('.wall-axis')
      .first()
      .locator('span')
      .evaluateAll((ticks) =>
        ticks.map((tick) => {
          const { left, right } = tick.getBoundingClientRect();
          return { left, right };
        }),
      );
    expect(places.length).toBeGreaterThan(0);
    places.slice(1).forEach(({ left }, at) => expect(left).toBeGreaterThanOrEqual(places[at]!.right));
  });

  it('has the differential flame graph of both', async () => {
    const { page, problems } = await browser.open(url, wide, 'light', ready);
    await page.click('nav >> text=Flame graph');
    await page.waitForSelector('.flame-main .flame-host[data-drawn]');
    await soon(() => page.innerText('.totals')).toMatch(/^80\.0 s.*vs 80\.0 s/s);
    expect(problems).toEqual([]);
  });

  it('can be read in both colors and widths', async () => {
    for (const width of [1600, 800]) {
      for (const colors of ['light', 'dark'] as const) {
        const { page, problems } = await browser.open(url, { width, height: 1000 }, colors, ready);
        expect(await violations(page)).toEqual([]);
        expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(width);
        await page.screenshot({ path: join(resultsFolder, `compare-file-${width}-${colors}.png`), fullPage: true });
        expect(problems).toEqual([]);
        await page.close();
      }
    }
  });

  it('is small without its data', () => {
    expect(gzipSync(readFileSync(new URL('../dist/compare.html', import.meta.url))).length).toBeLessThan(80 * 1024);
  });
});
