// SPDX-License-Identifier: Apache-2.0
// Opens a page with an output of a notebook in headless Chromium and prints as JSON the text of its flame graph and what the page refused.
//     node webview_page.mjs WEB FILE
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

const [web, file] = process.argv.slice(2);
const { chromium } = createRequire(join(web, 'package.json'))('playwright-core');
const browser = await chromium.launch({ executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium', args: ['--headless', '--no-sandbox', '--disable-gpu'] });
try {
  const page = await browser.newPage({ viewport: { width: 1200, height: 700 } });
  const problems = [];
  page.on('pageerror', (error) => problems.push(String(error)));
  page.on('console', (message) => problems.push(message.text()));
  await page.goto(pathToFileURL(file).href);
  const graph = page.frameLocator('iframe');
  await graph.locator('svg, canvas').first().waitFor({ timeout: 60_000 });
  console.log(JSON.stringify({ graph: await graph.locator('body').innerText(), problems }));
} finally {
  await browser.close();
}
