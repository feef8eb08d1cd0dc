// SPDX-License-Identifier: Apache-2.0
// What `sparkprof flame`, `diff` and `heatmap` write from profiles of other tools, in headless Chromium: by mouse, keyboard
// and for a screen reader, light and dark, wide and narrow; and speedscope's own page reading what is written for it.
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { violations } from './axe.ts';
import { Browser, resultsFolder, soon } from './browser.ts';

const sparkprof = process.env.SPARKPROF_BIN ?? fileURLToPath(new URL('../../bin/sparkprof', import.meta.url));
const cache = process.env.SPARKPROF_CACHE ?? join(process.env.XDG_CACHE_HOME ?? join(homedir(), '.cache'), 'sparkprof');
const speedscope = join(cache, 'peers', 'npm', 'node_modules', 'speedscope', 'dist', 'release', 'index.html');
const sizes = [
  { width: 1600, height: 1000 },
  { width: 800, height: 1000 },
];
let browser: Browser;

/** perf script's text of 30 s at 20 Hz: parse, then decode, then probe, each for 10 s; every fifth sample is in gc. */
function perfText(): string {
  let text = '';
  for (let i = 0; i < 600; i++) {
    const leaf = i % 5 === 0 ? 'gc' : ['parse', 'decode', 'probe'][Math.floor(i / 200)]!;
    text += `java 7/${7 + (i % 3)} [000] ${(1000 + i / 20).toFixed(6)}:   10 cycles: \n`;
    for (const name of [leaf, leaf === 'gc' ? 'collect' : 'Job::run', 'start']) text += `\t    7f00 ${name}+0x1 (/lib/x.so)\n`;
    text += '\n';
  }
  return text;
}

const folded = 'main;work 30\nmain;work;inner 70\nmain;read<b> 5\nmain;workers 20\n';
const foldedLater = 'main;work 60\nmain;work;inner 30\nmain;read<b> 5\nmain;workers 20\nmain;more 40\n';

function input(name: string, text: string): string {
  const path = browser.pathOf(name);
  writeFileSync(path, text);
  return path;
}

/** Runs sparkprof; the address of what it wrote. */
function written(name: string, ...command: string[]): string {
  const path = browser.pathOf(name);
  execFileSync(sparkprof, [...command, '-o', path]);
  return pathToFileURL(path).href;
}

async function see(url: string, ready: string, check: (page: Page) => Promise<void>, size = sizes[0]!, colors: 'light' | 'dark' = 'light') {
  const { page, problems } = await browser.open(url, size, colors, ready);
  try {
    await check(page);
    expect(problems).toEqual([]);
  } finally {
    await page.close();
  }
}

/** Light and dark, wide and narrow: nothing sticks out, and a picture of each is kept. */
async function looks(name: string, url: string, ready: string, fits = true) {
  for (const size of sizes) {
    for (const colors of ['light', 'dark'] as const) {
      await see(
        url,
        ready,
        async (page) => {
          await page.screenshot({ path: `${resultsFolder}${name}-${size.width}-${colors}.png` });
          if (fits) expect(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth)).toBe(true);
        },
        size,
        colors,
      );
    }
  }
}

beforeAll(async () => {
  browser = await Browser.start();
});
afterAll(async () => browser?.stop());

describe('a flame graph as svg', () => {
  const picture = '#frames > g[tabindex]';
  let url = '';
  const width = (page: Page, title: string) =>
    page.locator(`#frames > g[aria-label^="${title} ("] rect`).getAttribute('width').then(Number);
  beforeAll(() => {
    url = written('a.svg', 'flame', input('a.folded', folded));
  });

  it('says the share that a search matches, each part once', async () => {
    await see(url, picture, async (page) => {
      page.once('dialog', (dialog) => dialog.accept('work|inner'));
      await page.click('#search');
      await soon(() => page.textContent('#matched')).toBe('Matched: 96.0%');
      await soon(() => page.locator('#frames > g.match').count()).toBe(3);
      await page.click('#search');
      await soon(() => page.textContent('#matched')).toBe('');
      page.once('dialog', (dialog) => dialog.accept('('));
      await page.click('#search');
      await soon(() => page.textContent('#matched')).toMatch(/Invalid regular expression/);
      page.once('dialog', (dialog) => dialog.accept('WORKERS'));
      await page.keyboard.press('Control+f');
      await soon(() => page.textContent('#matched')).toBe('Matched: 0.0%');
      await page.click('#ignorecase');
      await soon(() => page.textContent('#matched')).toBe('Matched: 16.0%');
    });
  });

  it('zooms by a click and by Enter, and goes back', async () => {
    await see(url, picture, async (page) => {
      const before = await width(page, 'inner');
      await page.locator('#frames > g[aria-label^="work ("]').click();
      await soon(() => width(page, 'inner')).toBeCloseTo(1180 * 0.7, 0);
      await soon(() => page.locator('#frames > g[aria-label^="workers ("]').isVisible()).toBe(false);
      await page.click('#unzoom');
      await soon(() => width(page, 'inner')).toBeCloseTo(before, 1);
      await page.locator('#frames > g[aria-label^="inner ("]').focus();
      await soon(() => page.textContent('#details')).toMatch(/inner \(70 samples, 56\.00%\)/);
      await page.keyboard.press('Enter');
      await soon(() => width(page, 'inner')).toBeCloseTo(1180, 0);
      await page.keyboard.press('Escape');
      await soon(() => width(page, 'inner')).toBeCloseTo(before, 1);
    });
  });

  it("has a button with its share for each frame in a screen reader's tree", async () => {
    await see(url, picture, async (page) => {
      const tree = await page.locator('svg').ariaSnapshot();
      for (const name of ['all (125 samples, 100%)', 'work (100 samples, 80.00%)', 'read<b> (5 samples, 4.00%)', 'Search']) {
        expect(tree).toContain(`button "${name}"`);
      }
    });
  });

  it('is a picture where scripts do not run', async () => {
    const data = Buffer.from(readFileSync(browser.pathOf('a.svg'))).toString('base64');
    const html = `<img src="data:image/svg+xml;base64,${data}"><canvas width="1200" height="120"></canvas>`;
    await see(browser.save('img.html', html), 'img', async (page) => {
      const colors = await page.evaluate(async () => {
        const image = document.querySelector('img')!;
        await image.decode();
        const context = document.querySelector('canvas')!.getContext('2d')!;
        context.drawImage(image, 0, 0);
        const { data: pixels } = context.getImageData(0, 0, 1200, 120);
        const seen = new Set<number>();
        for (let i = 0; i < pixels.length; i += 4) seen.add((pixels[i]! << 16) | (pixels[i + 1]! << 8) | pixels[i + 2]!);
        return seen.size;
      });
      expect(colors).toBeGreaterThan(20);
    });
  });

  // Its width is the one that --width gave, as flamegraph.pl's.
  it('looks right', () => looks('svg', url, picture, false));
});

describe('a heat map', () => {
  const ready = 'body[data-drawn]';
  let url = '';
  const top = (page: Page) => page.locator('#top tr').allInnerTexts();
  /** Drags over the given part of the seconds. */
  async function drag(page: Page, from: number, to: number, shift = false) {
    const map = (await page.locator('#map').boundingBox())!;
    const second = (map.width - 48) / 30;
    if (shift) await page.keyboard.down('Shift');
    await page.mouse.move(map.x + 48 + second * from + 1, map.y + 1);
    await page.mouse.down();
    await page.mouse.move(map.x + 48 + second * to - 2, map.y + 240, { steps: 5 });
    await page.mouse.up();
    if (shift) await page.keyboard.up('Shift');
  }
  beforeAll(() => {
    url = written('heat.heatmap.html', 'flame', input('perf.txt', perfText()));
  });

  it('shows the flame graph of the range that is picked', async () => {
    await see(url, ready, async (page) => {
      await soon(() => page.textContent('#range')).toBe('everything: 6,000');
      expect((await top(page)).map((line) => line.split('\t')[0])).toEqual(expect.arrayContaining(['parse', 'decode', 'probe', 'gc']));
      await drag(page, 10, 20);
      await soon(() => page.textContent('#range')).toMatch(/^10\.00 s to (19\.9\d|20\.00) s: /);
      const frames = (await top(page)).join('\n');
      expect(frames).toMatch(/decode/);
      expect(frames).not.toMatch(/parse|probe/);
      await page.click('#all');
      await soon(() => page.textContent('#range')).toBe('everything: 6,000');
    });
  });

  it('shows the difference of two ranges', async () => {
    await see(url, ready, async (page) => {
      await drag(page, 10, 20);
      await drag(page, 0, 10, true);
      await soon(() => page.textContent('#range')).toMatch(/compared with 0\.00 s to /);
      await soon(() => page.textContent('#flame-title')).toMatch(/Difference/);
      const frames = await top(page);
      expect(frames.find((line) => line.startsWith('decode'))).toMatch(/80\.\d\d%\t0\.00%\t\+80\.\d\d%/);
      expect(frames.find((line) => line.startsWith('parse'))).toMatch(/\t-80\.\d\d%/);
      await page.screenshot({ path: `${resultsFolder}heatmap-difference.png`, fullPage: true });
    });
  });

  it('does all of it by keyboard', async () => {
    await see(url, ready, async (page) => {
      await page.focus('#map');
      await page.keyboard.press('ArrowRight');
      await soon(() => page.textContent('#range')).toMatch(/^0\.00 s to 1\.00 s: 200/);
      await page.keyboard.press('b');
      await page.keyboard.press('ArrowRight');
      await soon(() => page.textContent('#range')).toMatch(/^1\.00 s to 2\.00 s: 200, compared with 0\.00 s to 1\.00 s: 200/);
      await page.keyboard.press('Escape');
      await page.focus('#flame');
      for (let i = 0; i < 3; i++) await page.keyboard.press('ArrowDown');
      await soon(() => page.textContent('#details')).toMatch(/^(Job::run|java|start).*%/);
      const before = await page.locator('#flame').getAttribute('height');
      await page.keyboard.press('Enter');
      await soon(() => page.locator('#flame').getAttribute('height')).not.toBe(before);
      await page.keyboard.press('Escape');
      await soon(() => page.locator('#flame').getAttribute('height')).toBe(before);
    });
  });

  it("is a heading, named controls and a table in a screen reader's tree", async () => {
    await see(url, ready, async (page) => {
      const tree = await page.locator('body').ariaSnapshot();
      for (const part of [
        /- main:/,
        /heading "perf\.txt: heat map"/,
        /combobox "Event"/,
        /button "Select everything"/,
        /application "Heat map: /,
        /application "Flame graph/,
        /columnheader "Share"/,
        /cell "decode"/,
        /status: "?everything: 6,000/,
      ]) {
        expect(tree).toMatch(part);
      }
    });
  });

  it('has nothing that axe-core objects to', async () => {
    await see(url, ready, async (page) => {
      expect(await violations(page)).toEqual([]);
    });
  });

  it('looks right', () => looks('heatmap', url, ready));
});

describe('a page of a foreign profile', () => {
  const drawn = '.flame-main .flame-host[data-drawn]';

  it('is a flame graph that can be searched and zoomed, without what only an application has', async () => {
    const url = written('a.html', 'flame', input('a.folded', folded));
    await see(url, drawn, async (page) => {
      await soon(() => page.locator('[role=tab]').allInnerTexts()).toEqual(['Flame graph']);
      await soon(() => page.locator('.timeline').count()).toBe(0);
      await page.keyboard.press('/');
      await page.keyboard.type('inner|workers');
      await page.waitForSelector('[data-matched]');
      expect(Number(await page.locator('[data-matched]').getAttribute('data-matched'))).toBeCloseTo(0.72, 5);
      await page.keyboard.press('Escape');
      const tree = await page.locator('body').ariaSnapshot();
      expect(tree).toMatch(/tab "Flame graph" \[selected\]/);
      await page.click('.view-menu summary');
      await page.click('.view-menu >> text=Text tree');
      await soon(() => page.getByRole('treeitem').count()).toBeGreaterThan(0);
      await soon(() => page.locator('body').ariaSnapshot()).toMatch(/treeitem "[^"]*main/);
    });
    await looks('foreign', url, drawn);
  });

  it('of a difference opens as a comparison', async () => {
    const url = written('d.html', 'diff', input('a.folded', folded), input('b.folded', foldedLater));
    await see(url, drawn, async (page) => {
      const numbers = (await page.locator('.totals').innerText()).replace(/\s+/g, ' ');
      expect(numbers).toMatch(/155.*125/);
      await soon(() => page.locator('body').innerText()).toMatch(/more/);
    });
    await looks('foreign-difference', url, drawn);
  });
});

describe.skipIf(!existsSync(speedscope))('speedscope (scripts/setup peers)', () => {
  it('reads its format by its own importer', async () => {
    const path = browser.pathOf('a.speedscope.json');
    execFileSync(sparkprof, ['convert', input('a.folded', folded), path]);
    // Files in the form of speedscope's own command: a script beside it.
    const script = input('a.js', `speedscope.loadFileFromBase64('a.speedscope.json', '${readFileSync(path).toString('base64')}')`);
    const { page } = await browser.open(`${pathToFileURL(speedscope).href}#localProfilePath=${script}`, sizes[0]!, 'light', 'body > div');
    await page.waitForFunction(() => /a\.folded|a\.speedscope/.test(document.title));
    await page.keyboard.press('3');
    await page.waitForSelector('table');
    const rows = await page.locator('table tr').allInnerTexts();
    expect(rows.find((row) => row.includes('inner'))).toMatch(/70[^]*56/);
    expect(rows.find((row) => row.includes('workers'))).toMatch(/20[^]*16/);
    await page.close();
  });
});
