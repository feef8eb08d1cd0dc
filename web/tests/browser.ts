// SPDX-License-Identifier: Apache-2.0
// Opens report pages over file://, or pages of a server, in headless Chromium and collects what goes wrong there.
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { chromium, type BrowserContext, type Page } from 'playwright-core';
import { expect } from 'vitest';

export const resultsFolder = fileURLToPath(new URL('../test-results/', import.meta.url));
const executable = process.env.CHROMIUM ?? '/usr/bin/chromium';
const flags = [
  '--headless',
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
];

/** ms; a busy machine takes a while to open a page */
const patience = 60_000;

/** Asks until the answer is the expected one: the page may need a moment, on a busy machine a long one. */
export const soon = <T>(ask: () => Promise<T>, message?: string) => expect.poll(ask, { timeout: patience, message });

export interface OpenPage {
  page: Page;
  problems: string[];
}

export class Browser {
  private constructor(
    private readonly context: BrowserContext,
    private readonly folder: string,
  ) {}

  static async start(): Promise<Browser> {
    const folder = mkdtempSync(join(tmpdir(), 'sparkprof-web-'));
    const context = await chromium.launchPersistentContext(join(folder, 'profile'), { executablePath: executable, args: flags });
    mkdirSync(resultsFolder, { recursive: true });
    return new Browser(context, folder);
  }

  async stop(): Promise<void> {
    await this.context.close();
    rmSync(this.folder, { recursive: true, force: true });
  }

  /** Where a file of this name can be put for a page to read. */
  pathOf(name: string): string {
    return join(this.folder, name);
  }

  /** Writes a page to a file and gives its address. */
  save(name: string, html: string): string {
    const path = join(this.folder, name);
    writeFileSync(path, html);
    return pathToFileURL(path).href;
  }

  /** `ready` is there once the page is. */
  async open(
    url: string,
    size: { width: number; height: number },
    colors: 'light' | 'dark' = 'light',
    ready = '.page-header, .broken',
  ): Promise<OpenPage> {
    const page = await this.context.newPage();
    page.setDefaultTimeout(patience);
    const problems: string[] = [];
    page.on('console', (message) => {
      if (message.type() === 'error' || message.type() === 'warning') problems.push(message.text());
    });
    page.on('pageerror', (error) => problems.push(String(error)));
    page.on('request', (request) => {
      const own = url.startsWith('http') && new URL(url).origin === new URL(request.url()).origin;
      if (!own && !/^(file|data|blob):/.test(request.url())) problems.push(`asked the network for ${request.url()}`);
    });
    await page.setViewportSize(size);
    await page.emulateMedia({ colorScheme: colors });
    await page.goto(url);
    await page.waitForSelector(ready, { state: 'attached' });
    return { page, problems };
  }
}

/** A clock of the CPU time of a page's main thread, ms, which other work on the machine changes little. */
export async function cpuClock(page: Page): Promise<() => Promise<number>> {
  const session = await page.context().newCDPSession(page);
  await session.send('Performance.enable', { timeDomain: 'threadTicks' });
  return async () => {
    const { metrics } = await session.send('Performance.getMetrics');
    return 1000 * (metrics.find(({ name }) => name === 'TaskDuration')?.value ?? 0);
  };
}
