#!/usr/bin/env node
// SPDX-License-Identifier: Apache-2.0
// Times the list of applications of a real server in Chromium, for each order and filter: from the click until the rows are drawn.
// collector_page.mjs SPARKPROF FOLDER, where FOLDER has the catalogue that catalogue_bench made. Needs web/node_modules.
import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { performance } from 'node:perf_hooks';

const { chromium } = createRequire(new URL('../web/package.json', import.meta.url))('playwright-core');
const executablePath = process.env.CHROMIUM ?? '/usr/bin/chromium';
const rounds = 9;
const questions = {
  'latest first': '',
  'by status': 'sort=status', 'by name': 'sort=name', 'by group': 'sort=group', 'by user': 'sort=user', 'oldest first': 'sort=startTime',
  'by duration': 'sort=-durationMs', 'by tasks': 'sort=-tasks', 'by CPU': 'sort=-cpuSeconds', 'by findings': 'sort=-findings',
  'search': 'search=JOB+39', 'search of an ID': 'search=0050_500', 'of a group': 'group=group+7', 'of a user': 'user=user7', 'failed': 'status=failed',
  'with a finding': 'finding=skew', 'all filters': 'search=job&group=group+7&user=user7&status=finished&finding=spill',
};

async function start(program, folder, data) {
  const began = performance.now();
  const server = spawn(program, ['serve', '--listen', '127.0.0.1:0', '--data', data, '--catalogue', join(folder, 'catalogue.duckdb')]);
  const line = await new Promise((resolve, reject) => {
    let text = '';
    server.stderr.on('data', (part) => { text += part; if (text.includes('\n')) resolve(text); });
    server.on('exit', () => reject(new Error(text)));
  });
  const found = /serving (\S+)/.exec(line);
  if (!found) throw new Error(line);
  return { server, url: found[1], took: performance.now() - began };
}

/** In the page: asks the question and waits until its answer is drawn; ms. */
async function ask(question) {
  const began = performance.now();
  history.pushState({}, '', `?${question}`);
  dispatchEvent(new PopStateEvent('popstate'));
  const frame = () => new Promise((resolve) => { requestAnimationFrame(resolve); });
  const answered = () => performance.getEntriesByType('resource').some((entry) => entry.startTime >= began && entry.responseEnd > 0 && entry.name.includes('/v1/applications?'));
  while (!answered() || !document.querySelector('table.applications tbody tr')) await frame();
  await frame();
  performance.clearResourceTimings();
  return performance.now() - began;
}

const [program, folder] = process.argv.slice(2);
const temporary = mkdtempSync(join(tmpdir(), 'collector-page-'));
const { server, url, took } = await start(program, folder, join(temporary, 'data'));
try {
  console.log(`start of the server: ${took.toFixed(0)} ms`);
  const context = await chromium.launchPersistentContext(join(temporary, 'profile'), { executablePath, args: ['--no-sandbox'] });
  const page = await context.newPage();
  const opened = performance.now();
  await page.goto(url);
  await page.waitForSelector('table.applications tbody tr');
  console.log(`page: ${(performance.now() - opened).toFixed(0)} ms, ${await page.textContent('.list-count')}`);
  for (const [name, question] of Object.entries(questions)) {
    const times = [];
    for (let round = 0; round < rounds; round++) {
      // another question before, so that there is something to change
      await page.evaluate(ask, 'sort=endTime');
      times.push(await page.evaluate(ask, question));
    }
    times.sort((a, b) => a - b);
    console.log(`${name.padEnd(20)} ${times[Math.floor(rounds / 2)].toFixed(0).padStart(5)} ms (${times[0].toFixed(0)}–${times.at(-1).toFixed(0)}), ${await page.textContent('.list-count')}`);
  }
  await context.close();
} finally {
  server.kill();
  await new Promise((resolve) => { server.on('exit', resolve); });
  rmSync(temporary, { recursive: true, force: true });
}
