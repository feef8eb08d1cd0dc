// SPDX-License-Identifier: Apache-2.0
// Opens a notebook of a Jupyter server in headless Chromium, runs its cells, and prints as JSON what the last cell's output has.
//     node jupyter_page.mjs WEB URL CELLS SCREENSHOT
import { mkdtempSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const [web, url, cells, screenshot] = process.argv.slice(2);
const { chromium } = createRequire(join(web, 'package.json'))('playwright-core');
const flags = ['--headless', '--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run', '--disable-background-networking', '--disable-component-update', '--disable-sync'];
const patience = { timeout: 240_000 };

const folder = mkdtempSync(join(tmpdir(), 'sparkprof-jupyter-'));
const context = await chromium.launchPersistentContext(folder, { executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium', args: flags, viewport: { width: 1600, height: 1000 } });
try {
  const page = await context.newPage();
  const problems = [];
  page.on('pageerror', (error) => problems.push(String(error)));
  await page.goto(url, patience);
  const first = page.locator('.jp-Notebook .jp-CodeCell').first();
  await first.locator('.cm-content').click(patience);
  // Before the kernel is ready, cells do not run.
  await page.locator('#jp-main-statusbar').getByText('| Idle').waitFor(patience);
  for (let cell = 0; cell < Number(cells); cell++) await page.keyboard.press('Shift+Enter');
  const last = page.locator('.jp-Notebook .jp-CodeCell').nth(Number(cells) - 1);
  const output = last.locator('.jp-OutputArea-output').last();
  await last.locator('iframe').waitFor(patience).catch(async (error) => {
    await page.screenshot({ path: screenshot });
    throw new Error(`no flame graph in: ${await page.locator('.jp-Notebook').innerText()}`, { cause: error });
  });
  const graph = last.frameLocator('iframe');
  await graph.locator('svg, canvas').first().waitFor(patience);
  await last.scrollIntoViewIfNeeded();
  await page.screenshot({ path: screenshot });
  console.log(JSON.stringify({ text: await last.locator('.jp-OutputArea').innerText(), graph: await graph.locator('body').innerText(), html: (await output.innerHTML()).length, problems }));
} finally {
  await context.close();
  rmSync(folder, { recursive: true, force: true });
}
