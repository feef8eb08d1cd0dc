// SPDX-License-Identifier: Apache-2.0
// The pages of the server in headless Chromium, with a made-up server behind them.
import { readFileSync } from 'node:fs';
import { gzipSync } from 'node:zlib';
import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { colors, drawn, narrow, wide } from './ask.ts';
import { violations } from './axe.ts';
import { resultsFolder, soon } from './browser.ts';
import { fixtureNow } from './fixture_server.ts';
import { address, browser, on, origin, serve, server } from './server_pages.ts';

const rows = (page: Page) => page.locator('.applications tbody tr');
const focused = (page: Page) => page.evaluate(() => document.activeElement?.closest('tr')?.dataset.id ?? '');

describe('the shell', () => {
  it('is small and has no inline script or style', () => {
    const read = (name: string) => readFileSync(new URL(`../dist/${name}`, import.meta.url), 'utf8');
    expect(gzipSync(read('server.js')).length + gzipSync(read('server.css')).length).toBeLessThan(140 * 1024);
    expect(read('server.html')).not.toMatch(/<style|<script(?![^>]+src=)|\son\w+=|style=/);
  });
});

const first = () => server.applications[0]!.id;
const pages: [string, () => string, string][] = [
  ['applications', () => `/?pick=${server.applications[2]!.id}+${server.applications[5]!.id}`, '.applications tbody tr'],
  ['empty', () => '/', '.first'],
  ['application', () => `/applications/${first()}`, '#tab-flame'],
  ['groups', () => '/groups', 'tbody tr'],
  [
    'group-flame',
    () => `/groups/nightly-orders?from=${fixtureNow - 4 * 86400e3}&to=${fixtureNow - 86400e3}`,
    '.flame-main .flame-host[data-drawn]',
  ],
  ['group-functions', () => '/groups/features?view=functions', '.cell-bar'],
  ['group-findings', () => '/groups/features?view=findings', '.severity'],
  ['group-applications', () => '/groups/features?view=applications', '.applications tbody tr'],
  ['group-configuration', () => '/groups/features?view=configuration', '.field'],
  ['compare', () => `/compare?a=${first()}&b=${server.applications[30]!.id}`, '.wall-bar'],
  ['compare-flame', () => `/compare?a=${first()}&b=${server.applications[30]!.id}&view=flame`, '.flame-main .flame-host[data-drawn]'],
  ['compare-stages', () => `/compare?a=${first()}&b=${server.applications[30]!.id}&view=stages`, '.pair'],
  ['compare-settings', () => `/compare?a=${first()}&b=${server.applications[30]!.id}&view=settings`, 'td.text'],
  ['compare-choose', () => '/compare', '.choose'],
  ['runs', () => '/runs', 'tbody tr'],
  ['run', () => '/runs/24', '.run-chart svg[role=img]'],
  ['longevity', () => '/longevity', '.run-chart svg[role=img]'],
  ['fleet', () => '/fleet', '.fleet-verdict'],
  ['infrastructure', () => '/infrastructure?node=node-2&span=20', '[aria-label="Processes of the cell"] td'],
  ['infrastructure-run', () => '/infrastructure?run=24&node=node-2&span=20', '.heat td'],
  ['login', () => '/login?failed=1', '.login'],
];

describe('every page', () => {
  it('has nothing that axe-core objects to', async () => {
    const found: Record<string, string[]> = {};
    for (const [id, path, ready] of pages) {
      if (id === 'empty') continue;
      await on(path(), async (page) => {
        await page.waitForSelector(ready);
        const own = await violations(page);
        if (own.length > 0) found[id] = own;
      });
    }
    expect(found).toEqual({});
  }, 400_000);

  for (const [name, size] of [
    ['1600', wide],
    ['800', narrow],
  ] as const) {
    for (const theme of ['light', 'dark'] as const) {
      it(`shows at ${name} px, ${theme}`, async () => {
        for (const [id, path, ready] of pages) {
          const all = server.applications;
          if (id === 'empty') server.applications = [];
          await on(
            path(),
            async (page) => {
              await page.waitForSelector(ready);
              await page.waitForTimeout(150);
              const sideways = await page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth);
              expect(sideways, `${id} scrolls sideways`).toBeLessThanOrEqual(0);
              await page.screenshot({ path: `${resultsFolder}server-${id}-${name}-${theme}.png` });
            },
            { size, theme },
          );
          server.applications = all;
        }
      });
    }
  }
});

describe('links', () => {
  it('lead to pages that there are, on every page', async () => {
    const found = new Map<string, string>();
    for (const [id, path, ready] of pages) {
      if (id === 'empty' || id === 'login') continue;
      await on(path(), async (page) => {
        await page.waitForSelector(ready);
        const links = await page.$$eval('a[href^="/"]', (all) => all.map((link) => link.getAttribute('href')!));
        for (const link of links) {
          const kind = link.replace(/(?<=^\/\w+\/)[^?]+/, 'ID').replaceAll(/=[^&#]*/g, '=');
          found.set(kind, link);
        }
      });
    }
    // one of each kind
    const links = [...found.values()].filter((link) => !link.startsWith('/api/'));
    expect(links.length).toBeGreaterThan(10);
    for (const link of links) {
      await on(link, async (page) => {
        await page.waitForSelector('main, .applications, .flame, .overview, table, svg', { state: 'attached' });
        expect(await page.locator('.problem, main.empty [role=alert]').allInnerTexts(), link).toEqual([]);
      });
    }
  }, 200_000);
});

describe('the fleet', () => {
  it('leads from a row to the page of an application that the server has, and to its job', async () => {
    await on('/fleet', async (page) => {
      await page.waitForSelector('.fleet-verdict');
      const links = page.locator('[aria-label="Applications that waste most"] tbody a');
      await soon(() => links.allInnerTexts()).toEqual([server.applications[0]!.id]);
      expect(await links.getAttribute('href')).toBe(`/applications/${server.applications[0]!.id}`);
      await page.click('a.link:has-text("job_04")');
      await soon(() => page.innerText('.fleet-verdict')).toContain('100 applications cost');
    });
  });
});

describe('applications', () => {
  it('are searched, filtered, sorted and paged in the address', async () => {
    await on('/', async (page) => {
      await soon(() => page.locator('.list-count').innerText()).toBe('1–100 of 250 applications');
      await page.click('text=Next page');
      await soon(() => page.locator('.list-count').innerText()).toBe('101–200 of 250 applications');
      const copied = page.url();
      const second = await page.locator('.row-link').first().getAttribute('href');
      await page.goBack();
      await soon(() => page.locator('.list-count').innerText()).toBe('1–100 of 250 applications');
      await page.goto(copied);
      await soon(() => page.locator('.row-link').first().getAttribute('href')).toBe(second);
      await page.click('th >> text=Duration');
      await soon(() => page.locator('th[aria-sort=descending]').innerText()).toMatch(/Duration/);
      expect(await address(page)).toBe('/?sort=-durationMs');
      await page.fill('#search', 'ranker');
      await soon(() => address(page)).toBe('/?sort=-durationMs&search=ranker');
      await page.selectOption('select >> nth=0', 'failed');
      await soon(() => address(page)).toMatch(/status=failed/);
      await soon(() =>
        rows(page)
          .locator('.status')
          .allInnerTexts()
          .then((texts) => texts.every((text) => /failed/.test(text))),
      ).toBe(true);
      await page.click('text=Clear filters');
      await soon(() => address(page)).toBe('/?sort=-durationMs');
    });
  });

  it('show what is not known as a dash, not as zero, and why on hover', async () => {
    const unknown = { tasks: null, cpuSeconds: null, findings: null, topFinding: '', savingMs: null, cost: null, totals: 'unknown' };
    Object.assign(server.applications[0]!, unknown);
    await on('/', async (page) => {
      await soon(() => rows(page).first().locator('td span:text-is("–")').count()).toBe(5);
      await soon(() => rows(page).first().locator('td[title^=Unknown]').count()).toBe(5);
    });
  });

  it('are saved as a table, those on other pages too', async () => {
    await on('/', async (page) => {
      const [download] = await Promise.all([page.waitForEvent('download'), page.locator('.list-bar button', { hasText: 'CSV' }).click()]);
      const lines = readFileSync(await download.path(), 'utf8')
        .trimEnd()
        .split('\n');
      expect(download.suggestedFilename()).toBe('applications.csv');
      expect(lines).toHaveLength(251);
      expect(lines[0]).toMatch(
        /^id,attempt,name,user,group,status,startTime,endTime,durationMs,tasks,cpuSeconds,findings,topFinding,savingMs,totals/,
      );
    });
  });

  it('are reached by keys: next, previous, select, compare, open', async () => {
    await on('/', async (page) => {
      await rows(page).first().waitFor();
      await page.keyboard.press('j');
      await page.keyboard.press('j');
      await soon(() => focused(page)).toBe(server.applications[1]!.id);
      await page.keyboard.press('x');
      await page.keyboard.press('ArrowDown');
      await page.keyboard.press('x');
      await page.keyboard.press('k');
      await soon(() => focused(page)).toBe(server.applications[1]!.id);
      await page.keyboard.press('/');
      await soon(() => page.evaluate(() => document.activeElement?.id)).toBe('search');
      await page.keyboard.press('Escape');
      await page.keyboard.press('?');
      await soon(() => page.locator('dialog.help[open]').innerText()).toMatch(/compare the two selected/);
      await page.keyboard.press('Escape');
      await page.keyboard.press('c');
      await page.waitForURL(/\/compare\?a=.*&b=/);
    });
    await on('/', async (page) => {
      await rows(page).first().waitFor();
      await page.keyboard.press('j');
      await page.keyboard.press('Enter');
      await page.waitForURL(/\/applications\/app-/);
    });
  });

  it('are selected by keys that follow each other before the page is drawn again', async () => {
    await on('/', async (page) => {
      await rows(page).first().waitFor();
      await page.evaluate(() => {
        const links = [...document.querySelectorAll<HTMLElement>('.row-link')];
        for (const link of links.slice(0, 2)) {
          link.focus();
          link.dispatchEvent(new KeyboardEvent('keydown', { key: 'x', bubbles: true, cancelable: true }));
        }
        document.body.dispatchEvent(new KeyboardEvent('keydown', { key: 'c', bubbles: true, cancelable: true }));
      });
      await page.waitForURL(/\/compare\?a=.*&b=/);
    });
  });

  it('refresh in place while the table is in use, and new ones wait', async () => {
    await on('/', async (page) => {
      await rows(page).first().waitFor();
      await page.keyboard.press('j');
      const [first] = server.applications;
      first!.tasks = 123;
      server.applications.unshift({ ...first!, id: 'app-new', startTime: first!.startTime + 1 });
      await soon(() => rows(page).first().innerText()).toMatch(/123/);
      expect(await focused(page)).toBe(first!.id);
      await page.click('text=1 new application');
      await soon(() => rows(page).first().getAttribute('data-id')).toBe('app-new');
    });
  });

  it('keep unfinished text when they are refreshed', async () => {
    await on('/', async (page) => {
      await rows(page).first().waitFor();
      await page.getByRole('textbox', { name: 'User' }).pressSequentially('an');
      server.applications[0]!.tasks = 321;
      await soon(() => rows(page).first().innerText()).toMatch(/321/);
      await page.keyboard.type('a');
      await page.keyboard.press('Enter');
      await soon(() => address(page)).toBe('/?user=ana');
    });
  });

  it('are left alone while nobody sees them', async () => {
    await on('/', async (page) => {
      await rows(page).first().waitFor();
      await page.evaluate(() => Object.defineProperty(document, 'hidden', { configurable: true, get: () => true }));
      const asked = server.requests.length;
      await page.waitForTimeout(6500);
      expect(server.requests.length).toBe(asked);
      await page.evaluate(() => {
        Object.defineProperty(document, 'hidden', { configurable: true, get: () => false });
        document.dispatchEvent(new Event('visibilitychange'));
      });
      await soon(async () => server.requests.length).toBeGreaterThan(asked);
    });
  });

  it('stay when the server does not answer, with a word about it', async () => {
    await on(
      '/',
      async (page) => {
        await rows(page).first().waitFor();
        server.down = true;
        await soon(() => page.locator('.problem').innerText()).toMatch(/being rebuilt.*data below is from/);
        expect(await rows(page).count()).toBe(100);
        server.down = false;
        await soon(() => page.locator('.problem').count()).toBe(0);
      },
      { expected: /503/ },
    );
  });

  it('an empty server says how to send the first one, with its own address', async () => {
    server.applications = [];
    await on('/', async (page) => {
      await soon(() => page.locator('.first').innerText()).toMatch(/No applications yet/);
      const text = await page.locator('.first').innerText();
      expect(text).toContain(`sparkprof run --server ${origin} -- spark-submit`);
      expect(text).toContain(`spark.sparkprof.server=${origin}`);
    });
  });

  it('a hundred thousand are a page of one hundred', async () => {
    await serve(100_000);
    await on('/?sort=name', async (page) => {
      await soon(() => page.locator('.list-count').innerText()).toBe('1–100 of 100,000 applications');
      expect(await rows(page).count()).toBe(100);
    });
  });
});

describe('a running application', () => {
  it('is followed without losing tab, zoom and scroll, and becomes the full report', async () => {
    const row = server.applications[0]!;
    await on(`/applications/${row.id}#tab=flame&plumbing=1`, async (page) => {
      await drawn(page);
      await soon(() => page.locator('.badge.live').innerText()).toMatch(/^live, updated \d\d:\d\d:\d\d$/);
      await page.locator('.flame-area').focus();
      for (const key of ['ArrowDown', 'ArrowDown', 'ArrowDown', 'Enter']) await page.keyboard.press(key);
      await soon(() => page.locator('.path button').count()).toBeGreaterThan(1);
      const path = await page.locator('.path button').allInnerTexts();
      const before = await page.locator('.totals').innerText();
      server.grown = 20_000;
      await soon(() => page.locator('.totals').innerText()).not.toBe(before);
      expect(await page.locator('.path button').allInnerTexts()).toEqual(path);
      row.status = 'finished';
      await soon(() => page.locator('.badge.live').count()).toBe(0);
      await soon(() => page.locator('.badge').filter({ hasText: 'incomplete' }).count()).toBe(0);
      const asked = server.requests.length;
      await page.waitForTimeout(6000);
      expect(server.requests.length).toBe(asked);
    });
  });

  it('asks with If-None-Match and leads back to its group', async () => {
    const row = server.applications[0]!;
    await on(`/applications/${row.id}`, async (page) => {
      await page.waitForSelector('#tab-overview');
      const unchanged = page.waitForResponse((response) => response.url().endsWith('/report') && response.status() === 304);
      await unchanged;
      await page.click(`.crumbs >> text=${row.group}`);
      await page.waitForURL(new RegExp(`/groups/${row.group}$`));
    });
  });

  it('that is unknown says so', async () => {
    await on(
      '/applications/nothing',
      async (page) => {
        await soon(() => page.locator('[role=alert]').innerText()).toMatch(/unknown/);
        expect(await violations(page)).toEqual([]);
        await page.click('text=search for nothing');
        await soon(() => address(page)).toBe('/?search=nothing');
      },
      { expected: /404/ },
    );
  });
});

describe('a group', () => {
  it('shows CPU and latency over a time range, which a drag selects', async () => {
    await on('/groups/nightly-orders', async (page) => {
      await drawn(page);
      await soon(() => colors(page, '.flame-canvas')).toBeGreaterThan(5);
      const over = (await page.locator('.curve .curve-plot').first().boundingBox())!;
      await page.mouse.move(over.x + 300, over.y + 20);
      await page.mouse.down();
      await page.mouse.move(over.x + 600, over.y + 20, { steps: 4 });
      await page.mouse.up();
      await soon(() => address(page)).toMatch(/from=\d+00000&to=\d+00000/);
      await soon(async () => server.requests.some((request) => /report\?event=cpu&from=\d+&to=\d+/.test(request))).toBe(true);
      await page.selectOption('#event', 'wall');
      await soon(async () => server.requests.some((request) => /report\?event=wall&from=/.test(request))).toBe(true);
      await soon(() => address(page)).toMatch(/event=wall/);
    });
  });

  it('saves its configuration, refuses what is wrong, and does not overwrite others', async () => {
    await on(
      '/groups/features?view=configuration',
      async (page) => {
        const interval = page.locator('[id="setting-cpu.interval"]');
        await soon(() => interval.inputValue()).toBe('20ms');
        await interval.fill('often');
        await page.click('text=Save');
        await soon(() => page.locator('[role=alert]').innerText()).toMatch(/not a duration/);
        expect(await interval.getAttribute('aria-invalid')).toBe('true');
        await interval.fill('50ms');
        await page.click('text=Save');
        await soon(() => page.locator('.form-end').innerText()).toMatch(/Saved/);
        expect(server.configuration).toEqual({ version: 4, configuration: { 'cpu.interval': '50ms' } });
        server.configuration = { version: 9, configuration: {} };
        await interval.fill('60ms');
        await page.click('text=Save');
        await soon(() => page.locator('[role=alert]').innerText()).toMatch(/Somebody else/);
        await page.click('text=Discard changes');
        await soon(() => interval.inputValue()).toBe('');
      },
      { expected: /400|412/ },
    );
  });
});

describe('a new version', () => {
  it('is marked in the list, in the latest runs of groups and below the curves of a group', async () => {
    await on('/?group=features', async (page) => {
      await rows(page).first().waitFor();
      const tag = rows(page).locator('.tag');
      expect(await tag.count()).toBeGreaterThan(0);
      expect(await tag.first().getAttribute('title')).toMatch(/^Since the run before: version 1\.4 → 1\.5/);
    });
    await on('/groups', async (page) => {
      await page.waitForSelector('.sparkline line', { state: 'attached' });
      expect(await page.locator('.sparkline:has(line)').first().getAttribute('aria-label')).toMatch(/version 1\.4 → 1\.5 at run \d+/);
    });
    await on('/groups/features', async (page) => {
      const mark = page.locator('.release-marks a');
      await soon(() => mark.last().innerText()).toMatch(/1\.5/);
      expect(await mark.last().getAttribute('href')).toMatch(/^\/applications\/app-/);
    });
  });
});

describe('a comparison', () => {
  it('begins with the causes and both runs as columns', async () => {
    const [a, , b] = server.applications;
    await on(`/compare?a=${a!.id}&b=${b!.id}`, async (page) => {
      await soon(() => page.locator('.verdict-line').innerText()).toMatch(/^24\.0 s longer: 64\.0 s, 40\.0 s before/);
      await soon(() => page.locator('.causes a').first().getAttribute('href')).toMatch(/\/applications\/.*#tab=stages&stage=4/);
      await soon(() => page.locator('.wall-bar').count()).toBe(2);
      await page.locator('.wall-bar').last().locator('button').first().click();
      await page.waitForURL(new RegExp(`/applications/${a!.id}#`));
    });
  });

  it('is one differential flame graph, swaps, and keeps its address', async () => {
    const [a, , b] = server.applications;
    await on(`/compare?a=${a!.id}&b=${b!.id}`, async (page) => {
      await page.click('nav >> text=Flame graph');
      await drawn(page);
      await soon(() => page.locator('.change-legend').innerText()).toMatch(/less.*more/s);
      await soon(() => page.locator('.totals').innerText()).toMatch(/vs/);
      await page.selectOption('#event', 'alloc');
      await soon(() => page.locator('.totals').innerText()).toMatch(/B/);
      await page.click('nav >> text=Settings');
      await soon(() => page.locator('tbody').last().textContent()).toMatch(/executor\.memory/);
      expect(await page.locator('tbody').last().textContent()).not.toMatch(/app\.id/);
      await page.click('text=swap');
      await page.waitForURL(new RegExp(`a=${b!.id}.*b=${a!.id}`));
    });
  });

  it('takes two time ranges of a group', async () => {
    const day = 86400e3;
    await on(`/groups/features?from=${fixtureNow - day}&to=${fixtureNow}`, async (page) => {
      await page.click('text=Compare with the range before');
      await page.waitForURL(/aGroup=features.*bTo=/);
      await drawn(page);
      const begin = page.getByLabel('From of the baseline');
      await soon(() => begin.inputValue()).toMatch(/^2026-11-19T/);
      await begin.fill('2026-11-18T00:00');
      await soon(() => address(page)).toMatch(/bFrom=17\d+/);
    });
  });
});

describe('a server with tokens', () => {
  it('asks for one, and comes back to where the reader was', async () => {
    server.token = 'letmein';
    await on(
      '/?status=failed#theme=dark',
      async (page) => {
        await page.waitForURL(/\/login\?next=/);
        await page.fill('#token', 'wrong');
        await page.keyboard.press('Enter');
        await soon(() => page.locator('[role=alert]').innerText()).toMatch(/Unknown token/);
        await page.fill('#token', 'letmein');
        await page.keyboard.press('Enter');
        await page.waitForURL(/\/\?status=failed#theme=dark$/);
        await rows(page).first().waitFor();
        await page.context().clearCookies();
      },
      { expected: /401/ },
    );
  });
});

const real = process.env.SPARKPROF_SERVER?.replace(/\/$/, '');
describe.skipIf(!real)('a real server with at least two applications (SPARKPROF_SERVER)', () => {
  it('has every page without a problem', async () => {
    const { applications } = (await (await fetch(`${real}/api/sparkprof/v1/applications`)).json()) as {
      applications: { id: string; group: string }[];
    };
    expect(applications.length).toBeGreaterThan(1);
    const [a, b] = applications as [{ id: string; group: string }, { id: string }];
    const group = `/groups/${encodeURIComponent(a.group)}`;
    const compare = `/compare?${new URLSearchParams({ a: a.id, b: b.id })}`;
    const pages: [string, string, string][] = [
      ['applications', '/', '.applications tbody tr'],
      ['application', `/applications/${encodeURIComponent(a.id)}`, '#tab-flame'],
      ['application-flame', `/applications/${encodeURIComponent(a.id)}#tab=flame`, '.flame-main .flame-host[data-drawn]'],
      ['groups', '/groups', 'tbody tr'],
      ['group', group, '.flame-main .flame-host[data-drawn]'],
      ['group-wall', `${group}?event=wall`, '.flame-main .flame-host[data-drawn]'],
      ['group-functions', `${group}?view=functions`, '.cell-bar'],
      ['group-findings', `${group}?view=findings`, 'tbody tr, .empty'],
      ['group-applications', `${group}?view=applications`, '.applications tbody tr'],
      ['group-configuration', `${group}?view=configuration`, '.field'],
      ['compare', compare, '.flame-main .flame-host[data-drawn]'],
      ['compare-stages', `${compare}&view=stages`, '.pair, .empty'],
      ['compare-settings', `${compare}&view=settings`, 'td.text'],
    ];
    for (const [size, theme] of [
      [wide, 'light'],
      [narrow, 'dark'],
    ] as const) {
      for (const [id, path, ready] of pages) {
        const { page, problems } = await browser.open(real + path, size, theme, '.page-header');
        await page.waitForSelector(ready);
        await page.waitForTimeout(150);
        await page.screenshot({ path: `${resultsFolder}real-server-${id}-${size.width}-${theme}.png` });
        expect(problems, path).toEqual([]);
        await page.close();
      }
    }
  });
});
