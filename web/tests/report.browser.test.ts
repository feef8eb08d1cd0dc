// SPDX-License-Identifier: Apache-2.0
// The built report in headless Chromium, opened as a file. Screenshots stay in test-results/ for people to look at.
// With SPARKPROF_REPORT=FILE a real report is opened as well.
import { existsSync, readFileSync } from 'node:fs';
import { pathToFileURL } from 'node:url';
import { gzipSync } from 'node:zlib';
import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { dataPlace } from '../single_file.ts';
import { colors, drawn, hash, narrow, on, save, wide } from './ask.ts';
import { resultsFolder, soon } from './browser.ts';
import { encodeBase64, pageWith } from './encode.ts';
import { demoReport } from './make_data.ts';

describe('the page', () => {
  it('is small, whole, and asks nobody for anything', () => {
    const html = readFileSync(new URL('../dist/report.html', import.meta.url), 'utf8');
    // The stories of findings take 6 KB of it, the answer bar 5, what tabs show of stages, plans and streams 5, the time axis 4.
    expect(gzipSync(html).length).toBeLessThan(116 * 1024);
    expect(html.split(dataPlace).length).toBe(2);
    expect(html).not.toMatch(/<(script|link|img|iframe)[^>]+(src|href)=/);
    expect(html).not.toMatch(/\beval\(|new Function\(|\bfetch\(|XMLHttpRequest|WebSocket|import\(/);
    expect(html).toMatch(/default-src 'none'; script-src 'sha256-/);
  });
});

describe('every tab', () => {
  const tabs = ['overview', 'flame', 'stages', 'sql', 'executors', 'heap', 'environment'];
  for (const [name, size] of [
    ['1600', wide],
    ['800', narrow],
  ] as const) {
    for (const theme of ['light', 'dark'] as const) {
      it(`shows at ${name} px, ${theme}`, async () => {
        await on(
          '',
          async (page) => {
            for (const tab of tabs) {
              await page.click(`#tab-${tab}`);
              await soon(() => page.getAttribute(`#tab-${tab}`, 'aria-selected')).toBe('true');
              if (tab === 'flame') await drawn(page);
              if (tab === 'stages') await page.locator('.stages-list tbody tr').nth(3).click();
              if (tab === 'stages') await soon(() => colors(page, '.lanes-canvas')).toBeGreaterThan(8);
              await page.waitForTimeout(60);
              const sideways = await page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth);
              expect(sideways, `${tab} scrolls sideways`).toBeLessThanOrEqual(0);
              await page.screenshot({ path: `${resultsFolder}${tab}-${name}-${theme}.png`, fullPage: size === narrow });
            }
          },
          size,
          theme,
        );
      });
    }
  }
});

describe('the bar at the top', () => {
  const box = async (page: Page, selector: string) => (await page.locator(selector).boundingBox())!;

  it('is 44 px high and leaves the page to the content; filters appear only when set', async () => {
    for (const size of [wide, narrow]) {
      await on(
        '',
        async (page) => {
          expect((await box(page, '.page-header')).height).toBe(44);
          expect((await box(page, '.timeline')).y).toBeLessThanOrEqual(size === wide ? 80 : 112);
          expect(await page.locator('.selection').count()).toBe(0);
          expect(await page.locator('#event').count()).toBe(0);
          await page.click('#tab-flame');
          await soon(() => page.locator('#event').count()).toBe(1);
        },
        size,
      );
    }
    await on('tab=stages&stage=3.0', async (page) => {
      await soon(() => page.locator('.selection .chip').count()).toBe(1);
      expect(await page.locator('#event').count()).toBe(0);
    });
  });

  it('has the coverage behind an icon, which Escape closes before anything else', async () => {
    await on('tab=flame&search=HashMap', async (page) => {
      await page.click('.coverage-icon');
      await soon(() => page.locator('#coverage').innerText()).toMatch(/Samples[^]*Attributed/);
      await page.keyboard.press('Escape');
      await soon(() => page.locator('#coverage').isVisible()).toBe(false);
      expect(await page.inputValue('#search')).toBe('HashMap');
    });
  });

  it('copies a link to the view', async () => {
    await on('tab=stages', async (page) => {
      await page.click('text=Copy link');
      await soon(() => page.locator('.page-header .copy').innerText()).toBe('Copied');
    });
  });

  it('shows the tenth tab with the key 0', async () => {
    await on('', async (page) => {
      const tenth = await page.locator('[role=tab]').nth(9).getAttribute('id');
      await page.keyboard.press('0');
      await soon(() => page.getAttribute(`#${tenth}`, 'aria-selected')).toBe('true');
    });
  });
});

describe('the timeline', () => {
  it('takes a dragged range as the selection, zooms with the wheel, and resets', async () => {
    await on('tab=flame&height=400', async (page) => {
      await drawn(page);
      const box = (await page.locator('.lanes-canvas').boundingBox())!;
      await page.mouse.move(box.x + 500, box.y + 90);
      await page.mouse.down();
      await page.mouse.move(box.x + 800, box.y + 92, { steps: 4 });
      await page.mouse.up();
      await soon(() => hash(page)).toMatch(/from=\d+000&to=\d+000/);
      const curve = (await page.locator('.curve .curve-plot').first().boundingBox())!;
      await page.mouse.move(curve.x + 300, curve.y + 15);
      await page.mouse.wheel(0, -200);
      await page.waitForFunction(() => location.hash.includes('window='));
      await soon(() => page.locator('.tooltip').innerText()).toMatch(/Running tasks at/);
      await page.mouse.dblclick(curve.x + 300, curve.y + 15);
      await page.waitForFunction(() => !/window=|from=/.test(location.hash));
    });
  });

  it('selects the bar that is clicked', async () => {
    await on('tab=flame&height=400', async (page) => {
      await drawn(page);
      const box = (await page.locator('.lanes-canvas').boundingBox())!;
      await page.mouse.click(box.x + box.width * 0.5, box.y + 20 + 20 + 7);
      await soon(() => hash(page)).toMatch(/stage=3\.0/);
    });
  });
});

describe('the height of the timeline', () => {
  const height = (page: Page) => page.locator('.timeline-charts').evaluate((charts) => charts.clientHeight);

  it('has a track of activity for each executor above the flame graph', async () => {
    const lanes = (page: Page) => page.locator('.lanes-host').evaluate((host) => host.clientHeight);
    await on('tab=stages', async (page) => {
      const before = await lanes(page);
      await page.click('#tab-flame');
      await drawn(page);
      await soon(() => lanes(page)).toBeGreaterThanOrEqual(before + 3 * 20);
      await page.selectOption('.selection-tools .add', 'executor');
      await page.selectOption('[aria-label="Choose executor"]', '1');
      await soon(() => lanes(page)).toBeLessThan(before + 2 * 25 + 20);
    });
  });

  it('is compact at first and opens by its edge: by mouse, double click and keys', async () => {
    await on('tab=stages', async (page) => {
      await soon(() => height(page)).toBeLessThanOrEqual(90);
      expect(await page.locator('.curve').count()).toBe(0);
      const edge = page.locator('.timeline-edge');
      const { x, y } = (await edge.boundingBox())!;
      await page.mouse.move(x + 100, y + 3);
      await page.mouse.down();
      await page.mouse.move(x + 100, y + 200, { steps: 4 });
      await page.mouse.up();
      await soon(() => height(page)).toBeGreaterThan(200);
      await soon(() => hash(page)).toMatch(/height=\d+/);
      await edge.dblclick();
      await soon(() => height(page)).toBeLessThanOrEqual(90);
      await edge.press('ArrowDown');
      await soon(() => height(page)).toBeGreaterThanOrEqual(120);
      await soon(() => page.locator('.curve').count()).toBeGreaterThan(0);
      await edge.press('Home');
      await soon(() => page.locator('.curve').count()).toBe(0);
    });
  });
});

describe('the overview', () => {
  it('leads with one sentence and findings by their saving, below the time axis', async () => {
    await on('', async (page) => {
      await soon(() => page.locator('.verdict-line').innerText()).toBe(
        '33.5 s, 40.0% of it in stage 3.0. Stage 3 waits for two slow tasks; could save 4.1–8.2 s.',
      );
      expect(await page.locator('.finding[open]').count()).toBe(1);
      expect(await page.locator('.picture rect.marked').count()).toBeGreaterThan(0);
      await page.locator('.wall-part[aria-label^="Driver program"]').first().click();
      await soon(() => hash(page)).toMatch(/tab=flame&executor=driver&from=1700&to=2400/);
    });
  });

  it('draws the whole wall time, however narrow the page', async () => {
    const { application } = demoReport();
    for (const size of [wide, narrow])
      await on(
        '',
        async (page) => {
          await page.waitForSelector('.wall-part');
          const drawnNs = await page
            .locator('.wall-part')
            .evaluateAll((list) => list.reduce((sum, one) => sum + Number((one as HTMLElement).dataset.ns), 0));
          expect(drawnNs / 1e6).toBeCloseTo(application.endTime - application.startTime);
          expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(size.width);
        },
        size,
      );
  });

  it('shows whom the CPU time belongs to, the largest first; a stage leads to its samples', async () => {
    await on('', async (page) => {
      const owners = page.locator('[aria-label="CPU time by owner"]');
      await owners.locator('summary').click();
      await soon(() => owners.innerText()).toMatch(
        /^CPU time by owner 76\.5 s, 99\.1% of all processes\s+Stage 3\s+40\.0 s\s+52\.3%\s+Stage 4\.1\s.*Driver program\s.*2 others\s+500 ms/s,
      );
      await owners.locator('a', { hasText: 'Stage 4.1' }).click();
      await soon(() => hash(page)).toMatch(/stage=4\.1/);
    });
  });

  it('selects the time that is dragged over the bar of wall time, or passed with Shift and arrow keys', async () => {
    await on('', async (page) => {
      const bar = (await page.locator('.wall-bar').boundingBox())!;
      const y = bar.y + bar.height - 10;
      await page.mouse.move(bar.x + bar.width * 0.25, y);
      await page.mouse.down();
      await page.mouse.move(bar.x + bar.width * 0.5, y, { steps: 5 });
      await page.mouse.up();
      await soon(() => hash(page)).toMatch(/^#?from=8\d\d\d?&to=1\d{4}$/);
      await soon(() => page.locator('.wall-range').count()).toBe(1);
      expect((await page.locator('.wall-bar').boundingBox())!.y, 'nothing moves below the pointer').toBe(bar.y);
      await soon(() => page.locator('.verdict').innerText()).toMatch(/For the whole run, not only for the selected time/);
      await soon(() => page.locator('[aria-label="Core time"] h2').innerText()).toMatch(/Cost .*, 8[.\d]*–1\d[.\d]* s$/);
      await soon(() => page.locator('.findings .filter-note').innerText()).toMatch(/of 3 findings/);
      await page.click('.selection .chip-remove');
      await soon(() => page.locator('.wall-range').count()).toBe(0);
      await page.locator('button.wall-part').first().focus();
      await page.keyboard.press('ArrowRight');
      await page.keyboard.press('Shift+ArrowRight');
      await soon(() => hash(page)).toMatch(/^#?from=\d+&to=\d+$/);
      await page.click('#tab-stages');
      await soon(() => page.locator('.filter-note').innerText()).toMatch(/of \d+ stages/);
    });
  });

  it('has the findings in sight at 800 px, and all columns of a table in reach', async () => {
    await on(
      '',
      async (page) => {
        await page.waitForSelector('.finding-title');
        expect((await page.locator('.finding-title').first().boundingBox())!.y).toBeLessThan(560);
        await page.click('#tab-stages');
        const table = page.locator('.stages-list .table-scroll');
        await soon(() => table.evaluate((box) => box.scrollWidth > box.clientWidth)).toBe(true);
        expect((await table.locator('th').allInnerTexts()).join()).toMatch(/GC.*Shuffle in.*Begin.*Job/s);
      },
      narrow,
    );
  });

  it('shows a stage that is clicked, without a filter that does not apply', async () => {
    await on('', async (page) => {
      await page.locator('.wall-part[aria-label^="Stage 3"]').click();
      await drawn(page);
      await soon(() => hash(page)).toMatch(/tab=flame&stage=3\.0/);
      expect(await page.locator('.filter-note').count()).toBe(0);
    });
  });

  it('has a color for each phase, the same in the bar, the cost and the legend', async () => {
    await on('', async (page) => {
      const color = (selector: string) =>
        page
          .locator(selector)
          .first()
          .evaluate((one) => getComputedStyle(one).backgroundColor);
      await soon(() => color('.phase-legend span:has-text("JVM CPU") > i')).toBe(await color('.spent-list li:has-text("JVM CPU") > i'));
    });
  });

  it('names the functions of the user in both languages, and shows one in its callers', async () => {
    await on('', async (page) => {
      const list = page.locator('.top-functions li');
      await soon(() => list.count()).toBeGreaterThan(1);
      expect(await list.count()).toBeLessThanOrEqual(5);
      expect((await list.allInnerTexts()).join()).toMatch(/Pricing[^]*\.py/);
      await list.first().getByRole('link').click();
      await soon(() => hash(page)).toMatch(/tab=flame.*sandwich=/);
    });
  });
});

describe('the heap', () => {
  const row = (page: Page, name: string) => page.locator('.heap tbody tr', { hasText: name }).innerText();

  it('shows the classes and their change between two times', async () => {
    await on('tab=heap', async (page) => {
      await soon(() => colors(page, '.heap canvas')).toBeGreaterThan(8);
      await soon(() => row(page, 'UnsafeRow')).toMatch(/MiB\s+\d+\.\d%\s+\+/);
      expect(await row(page, 'char[]')).toMatch(/\s0$/);
      const whole = await row(page, 'UnsafeRow');
      const times = page.locator('.heap select').first();
      await times.selectOption({ index: 3 });
      await soon(() => row(page, 'UnsafeRow')).not.toBe(whole);
    });
  });

  it('follows the selected executor and the search', async () => {
    await on('tab=heap&executor=1&search=customer', async (page) => {
      await soon(() => page.locator('.heap tbody tr').count()).toBe(1);
      expect(await page.locator('.heap .toolbar').innerText()).toMatch(/Summaries: \d\b/);
    });
  });
});

describe('data that are not whole', () => {
  const said = async (html: string) => {
    let text = '';
    await on(
      '',
      async (page) => {
        text = await page.locator('.broken, #content').first().innerText();
      },
      wide,
      'light',
      save('other.html', html),
    );
    return text;
  };
  it('an empty page says how to make a report', async () => expect(await said(pageWith(''))).toMatch(/contains no recording/));
  it('a broken page says so', async () =>
    expect(await said(pageWith(encodeBase64(demoReport()).slice(0, 5000)))).toMatch(/Cannot decompress/));
  it('a recording without samples says how to get them', async () => {
    const { samples: _samples, events: _events, ...rest } = demoReport();
    await on(
      'tab=flame',
      async (page) => {
        await soon(() => page.locator('.overview-side').innerText()).toMatch(/no samples.*sparkprof run -- spark-submit/);
        expect(await page.locator('#tab-flame').count()).toBe(0);
        await page
          .locator('.finding')
          .first()
          .getByRole('button', { name: /^Show stage 3/ })
          .click();
        await soon(() => hash(page)).toMatch(/tab=stages.*tasksOf=3\.0/);
      },
      wide,
      'light',
      save('nosamples.html', pageWith(encodeBase64({ ...rest, events: [] }))),
    );
  });
  it('a recording without wall samples says how to get them', async () => {
    const report = demoReport();
    await on(
      'tab=flame',
      async (page) => {
        await drawn(page);
        await soon(() => page.locator('.flame-note').innerText()).toMatch(
          /Not recorded: wall, lock\. Record them with: sparkprof run --event cpu,alloc,wall,lock/,
        );
      },
      wide,
      'light',
      save(
        'nowall.html',
        pageWith(encodeBase64({ ...report, events: report.events.filter(({ name }) => name !== 'wall' && name !== 'lock') })),
      ),
    );
  });
  it('tables that are missing leave no tab behind', async () => {
    await on(
      '',
      async (page) => {
        await soon(() => page.locator('[role=tab]').allInnerTexts()).toEqual(['Overview']);
      },
      wide,
      'light',
      save('bare.html', pageWith(encodeBase64({ version: 1 }))),
    );
  });
  it('a script inside names stays text', async () => {
    const report = demoReport();
    report.application.name = '</script><script>document.title="bad"</script><img src=x onerror=alert(1)>';
    await on(
      '',
      async (page) => {
        await soon(() => page.locator('h1').innerText()).toContain('<img');
        await soon(() => page.locator('h1 img').count()).toBe(0);
      },
      wide,
      'light',
      save('names.html', pageWith(encodeBase64(report))),
    );
  });
});

describe('the stage tab', () => {
  it('sorts by share of the wall time and opens the longest stage: its tasks, its phases, its slowest task', async () => {
    await on('tab=stages', async (page) => {
      await soon(() => page.locator('.stages-list tbody tr').first().innerText()).toMatch(/^3\s[^]*46\.\d%/);
      await soon(() => page.locator('.stage-facts').innerText()).toMatch(/46\.\d% of the wall time · 40 tasks · median .* max/);
      await soon(() => colors(page, '.scatter-canvas')).toBeGreaterThan(8);
      expect(await page.locator('.phase-list').innerText()).toMatch(/Phases .* of task time, from samples/);
      await page.screenshot({ path: `${resultsFolder}stage-detail.png` });
      await page.click('text=Explain the slowest task');
      await drawn(page);
      await soon(() => hash(page)).toMatch(/stage=3\.0&task=\d+&versus=1.*versus\.task=median/);
    });
    await on('tab=stages&tasksOf=-', async (page) => {
      await soon(() => page.locator('.stages-list tbody tr').count()).toBe(7);
      expect(await page.locator('.stage-detail').count()).toBe(0);
    });
  });

  it('shows tasks over time where their sizes do not tell them apart', async () => {
    const report = demoReport();
    const stage = report.stages.find(({ stageId }) => stageId === 3)!;
    const row = report.stages.indexOf(stage);
    for (const name of [
      'inputBytes',
      'inputRecords',
      'outputBytes',
      'shuffleReadBytes',
      'shuffleReadRecords',
      'shuffleWriteBytes',
    ] as const) {
      stage.totals[name] = 40e5;
      report.tasks[name] = Float64Array.from(report.tasks.stage, (own) => (own === row ? 1e5 : 0));
    }
    await on(
      'tab=stages',
      async (page) => {
        await soon(() => page.locator('.scatter select').inputValue()).toBe('begin');
        expect(await page.locator('.scatter option').allInnerTexts()).not.toContain('Input');
      },
      wide,
      'light',
      save('even.html', pageWith(encodeBase64(report))),
    );
  });

  it('hides columns and saves tables as CSV', async () => {
    await on('tab=stages&tasksOf=-', async (page) => {
      await page.click('.table-tools summary');
      await page.click('.column-list >> text=Shuffle in');
      await soon(() => hash(page)).toMatch(/v\.hidden\.Stages=shuffleReadBytes/);
      expect(await page.locator('th', { hasText: 'Shuffle in' }).count()).toBe(0);
      const [download] = await Promise.all([page.waitForEvent('download'), page.click('.table-tools >> text=CSV')]);
      expect(download.suggestedFilename()).toBe('stages.csv');
      const [heads, first] = readFileSync((await download.path())!, 'utf8')
        .split('\n')
        .map((line) => line.split(/,(?! )/));
      const at = (head: string) => Number(first![heads!.indexOf(head)]);
      expect(heads!.slice(0, 3)).toEqual(['Stage', 'Name', 'Share of wall time']);
      expect(at('Stage')).toBe(3);
      expect(at('Share of wall time')).toBeLessThan(1);
      expect(at('Task max (ns)')).toBeGreaterThan(at('Task median (ns)'));
      expect(at('Run time (ns)')).toBeGreaterThan(1e9);
    });
  });

  it('names other processes on the hosts of the tasks only where a monitor recorded them', async () => {
    await on('tab=stages&tasksOf=3.0', async (page) => {
      const others = page.locator('[aria-label="Other processes on the hosts"] tbody tr');
      await soon(() => others.allInnerTexts()).toEqual([
        expect.stringMatching(/node-2\s+application_1_0042\s+ana\s+5\s+3\.10\s+4\s+23\.8 MiB/),
      ]);
      await page.locator('[aria-label="Other processes on the hosts"]').screenshot({ path: `${resultsFolder}stage-neighbors.png` });
    });
    await on('tab=stages&tasksOf=2.0', async (page) => {
      await page.waitForSelector('.stage-detail');
      expect(await page.locator('[aria-label="Other processes on the hosts"]').count()).toBe(0);
    });
  });
});

const real = process.env.SPARKPROF_REPORT;
describe.skipIf(!real)('a real report (SPARKPROF_REPORT)', () => {
  it('shows every tab it has without a problem', async () => {
    expect(existsSync(real!), `${real} does not exist`).toBe(true);
    for (const theme of ['light', 'dark'] as const) {
      for (const size of [wide, narrow]) {
        await on(
          '',
          async (page) => {
            const tabs = await page.locator('[role=tab]').evaluateAll((list) => list.map((tab) => tab.id));
            for (const tab of tabs) {
              await page.click(`#${tab}`);
              if (tab === 'tab-flame') {
                await drawn(page);
                await soon(() => colors(page, '.flame-canvas')).toBeGreaterThan(5);
              }
              await page.waitForTimeout(60);
              await page.screenshot({ path: `${resultsFolder}real-${tab}-${size.width}-${theme}.png`, fullPage: size === narrow });
            }
          },
          size,
          theme,
          pathToFileURL(real!).href,
        );
      }
    }
  });
});
