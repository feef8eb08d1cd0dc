// SPDX-License-Identifier: Apache-2.0
// What the browser tests share: one browser, one page with made-up data, and ways to ask the page.
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect } from 'vitest';
import { Browser, type OpenPage } from './browser.ts';
import { encodeBase64, pageWith } from './encode.ts';
import { demoReport } from './make_data.ts';

export const wide = { width: 1600, height: 1000 };
export const narrow = { width: 800, height: 1000 };
let browser: Browser;
let demo = '';

beforeAll(async () => {
  browser = await Browser.start();
  demo = browser.save('report.html', pageWith(encodeBase64(demoReport())));
});
afterAll(async () => browser?.stop());

/** Saves a page beside the others and gives its address. */
export const save = (name: string, html: string) => browser.save(name, html);

/** Where a file of this name can be put for a page to read. */
export const pathOf = (name: string) => browser.pathOf(name);

/** Opens, checks, and insists that nothing went wrong in the page. */
export async function on(
  hash: string,
  check: (page: Page) => Promise<void>,
  size = wide,
  colors: 'light' | 'dark' = 'light',
  url = demo,
): Promise<void> {
  const { page, problems }: OpenPage = await browser.open(hash ? `${url}#${hash}` : url, size, colors);
  try {
    await check(page);
    expect(problems).toEqual([]);
  } finally {
    await page.close();
  }
}

export const drawn = (page: Page) => page.waitForSelector('.flame-main .flame-host[data-drawn]');
export const totals = async (page: Page) => (await page.locator('.totals').innerText()).replace(/\s+/g, ' ');
export const detail = async (page: Page) => (await page.locator('.details').innerText()).replace(/\s+/g, ' ');
export const share = async (page: Page) => Number(await page.locator('[data-matched]').getAttribute('data-matched'));
/** Use with `soon`: the address follows quick changes with a little delay. */
export const hash = (page: Page) => page.evaluate(() => location.hash);
/** How many different colors the canvas shows: a blank one shows one. */
export const colors = (page: Page, selector: string) =>
  page.evaluate((wanted) => {
    const canvas = document.querySelector<HTMLCanvasElement>(wanted)!;
    // Chromium warns about a canvas of the page that is read several times, as on a busy machine.
    const copy = new OffscreenCanvas(canvas.width, canvas.height).getContext('2d', { willReadFrequently: true })!;
    copy.drawImage(canvas, 0, 0);
    const { data } = copy.getImageData(0, 0, canvas.width, canvas.height);
    const seen = new Set<number>();
    for (let i = 0; i < data.length; i += 4) seen.add((data[i]! << 16) | (data[i + 1]! << 8) | data[i + 2]!);
    return seen.size;
  }, selector);
