// SPDX-License-Identifier: Apache-2.0
// The tests of the server's pages share one browser; each has a made-up server of its own.
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, beforeEach, expect } from 'vitest';
import { wide } from './ask.ts';
import { Browser } from './browser.ts';
import { FixtureServer } from './fixture_server.ts';

export let browser: Browser;
export let server: FixtureServer;
export let origin: string;

beforeAll(async () => {
  browser = await Browser.start();
});
afterAll(async () => {
  await browser.stop();
});
beforeEach(() => serve());
afterAll(async () => {
  await server.stop();
});

/** Puts a new server in place of the one before. */
export async function serve(...settings: ConstructorParameters<typeof FixtureServer>): Promise<void> {
  await server?.stop();
  server = new FixtureServer(...settings);
  origin = await server.start();
}

/** Opens, checks, and insists that nothing went wrong in the page but what is expected. */
export async function on(
  path: string,
  check: (page: Page) => Promise<void>,
  { size = wide, theme = 'light' as 'light' | 'dark', expected = /^$/ } = {},
): Promise<void> {
  const { page, problems } = await browser.open(origin + path, size, theme, '.page-header, .login');
  try {
    await check(page);
    expect(problems.filter((problem) => !expected.test(problem))).toEqual([]);
  } finally {
    await page.close();
  }
}

export const address = async (page: Page) => page.evaluate(() => location.pathname + location.search);
