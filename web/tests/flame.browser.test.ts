// SPDX-License-Identifier: Apache-2.0
// The flame graph, its filters and comparisons, by mouse, keyboard and address, in headless Chromium.
import { describe, expect, it } from 'vitest';
import { colors, detail, drawn, hash, on, share, totals } from './ask.ts';
import { resultsFolder, soon } from './browser.ts';

describe('the flame graph', () => {
  it('draws and sums up all samples', async () => {
    await on('tab=flame', async (page) => {
      await drawn(page);
      await soon(() => colors(page, '.flame-canvas')).toBeGreaterThan(20);
      await soon(() => totals(page)).toBe('80.0 s · 3,998 samples');
    });
  });

  it('shows a tooltip with self, total and share, zooms on click and goes back by its path', async () => {
    await on('tab=flame&plumbing=1', async (page) => {
      await drawn(page);
      const canvas = page.locator('.flame-canvas');
      await canvas.hover({ position: { x: 60, y: 9 * 19 + 8 } });
      await soon(() => page.locator('.tooltip').innerText()).toMatch(/Iterator[^]*total[^]*%[^]*self[^]*of its parent/);
      await canvas.click({ position: { x: 60, y: 9 * 19 + 8 } });
      await page.waitForSelector('.path');
      await soon(() => hash(page)).toMatch(/zoom=\d+/);
      // other frames are under the pointer now
      await soon(() => page.locator('.tooltip').count()).toBe(0);
      await soon(() => detail(page)).toMatch(/scala\.collection\.Iterator.*total/);
      await page.locator('.path button').first().click();
      await soon(() => page.locator('.path button:not(.link)').count()).toBe(1);
    });
  });

  it('tells the share a search matches, each stack once', async () => {
    await on('tab=flame', async (page) => {
      await drawn(page);
      await page.keyboard.press('/');
      await page.keyboard.type('Pricing\\.');
      await page.waitForSelector('[data-matched]');
      const both = await share(page);
      await page.fill('#search', 'Pricing\\.discount');
      await page.waitForFunction(() => document.querySelector('.matched')?.textContent?.includes('1 name'));
      // lookup only runs under discount, so both together match no more than discount
      await soon(() => share(page)).toBeCloseTo(both, 10);
      expect(both).toBeGreaterThan(0.02);
      await page.fill('#search', '(');
      await soon(() => page.locator('.totals .warn').innerText()).toMatch(/invalid regular expression/);
      await page.keyboard.press('Escape');
      await soon(() => page.inputValue('#search')).toBe('');
    });
  });

  it('hides, focuses, and shows callers and callees from the menu of a frame', async () => {
    await on('tab=flame&search=HashMap', async (page) => {
      await drawn(page);
      const place = { x: 60, y: 9 * 19 + 8 };
      const before = await totals(page);
      await page.locator('.flame-canvas').click({ button: 'right', position: place });
      await page.screenshot({ path: `${resultsFolder}menu.png` });
      await page.click('text=Hide this function');
      await soon(() => hash(page)).toMatch(/transform=hide/);
      await soon(() => totals(page)).toBe(before);
      await page.locator('.flame-canvas').click({ button: 'right', position: place });
      await page.click('text=Callers and callees');
      await page.waitForSelector('.flame-callers .flame-host[data-drawn]');
      await page.screenshot({ path: `${resultsFolder}sandwich.png` });
      await page
        .locator('.flame-canvas')
        .last()
        .click({ button: 'right', position: { x: 60, y: 28 } });
      await page.click('text=Focus');
      await soon(() => hash(page)).toMatch(/transform=focus/);
      await page.keyboard.press('Escape');
    });
  });

  it('turns, reverses, splits by thread and colors by package', async () => {
    await on('tab=flame', async (page) => {
      await drawn(page);
      const sum = await totals(page);
      for (const label of ['Callers', 'Graph', 'Root below', 'By thread', 'Color by package', 'Spark frames']) {
        if (label !== 'Callers' && label !== 'Graph') await page.locator('.view-menu').evaluate((menu) => menu.setAttribute('open', ''));
        await page.click(`.toolbar >> text="${label}"`);
        await page.waitForTimeout(40);
        await soon(() => totals(page), label).toBe(sum);
        await page.screenshot({ path: `${resultsFolder}flame-${label.toLowerCase().replaceAll(' ', '-')}.png` });
      }
    });
  });

  it('has tasks by default, other threads as strips, and runs of Spark’s frames as one row that opens', async () => {
    await on('tab=flame', async (page) => {
      await drawn(page);
      const before = Number(await page.locator('.flame-host').getAttribute('data-drawn'));
      await page.locator('.flame-area').focus();
      await page.keyboard.press('ArrowDown');
      await page.keyboard.press('ArrowDown');
      await soon(() => detail(page)).toMatch(/^\d+ Spark frames/);
      await page.keyboard.press('Enter');
      await soon(() => hash(page)).toMatch(/plumbing=1/);
      await soon(async () => Number(await page.locator('.flame-host').getAttribute('data-drawn'))).toBeGreaterThan(before);
    });
  });

  it('has a legend with the share of each kind, which shows one kind only', async () => {
    await on('tab=flame', async (page) => {
      await drawn(page);
      const parts = await page.locator('.flame-legend b').allInnerTexts();
      expect(Math.abs(parts.reduce((sum, text) => sum + Number.parseFloat(text), 0) - 100)).toBeLessThan(0.1 * parts.length + 0.1);
      await page.click('.flame-legend >> text=Yours');
      await soon(() => hash(page)).toMatch(/v\.kind=user/);
      await soon(() => page.locator('.flame-legend [aria-pressed=true]').innerText()).toMatch(/Yours\s+\d/);
      await page.screenshot({ path: `${resultsFolder}flame-kind.png` });
    });
  });

  it('shows the function of a row of the table, and s its callers', async () => {
    await on('tab=flame&table=1', async (page) => {
      const rows = page.locator('table[aria-label="Functions"] tbody tr[data-row]');
      await soon(() => rows.count()).toBeGreaterThan(10);
      const all = await rows.count();
      await rows.nth(1).click();
      const name = await rows.nth(1).locator('td').first().getAttribute('title');
      await soon(async () => (await detail(page)).startsWith(`${name} total`)).toBe(true);
      expect(await rows.count()).toBe(all);
      expect(await page.inputValue('#search')).toBe('');
      await page.keyboard.press('s');
      await soon(() => hash(page)).toMatch(/sandwich=/);
      await page.waitForSelector('.flame-callers .flame-host[data-drawn]');
    });
  });

  it('hides idle threads of wall clock until asked', async () => {
    await on('tab=flame&event=wall', async (page) => {
      await drawn(page);
      const without = await totals(page);
      await page.click('.view-menu summary');
      await page.click('.view-menu >> text=Idle threads');
      await soon(() => totals(page)).not.toBe(without);
    });
  });

  it('is a tree for screen readers, with level, place and open state', async () => {
    await on('tab=flame&tree=1&plumbing=1', async (page) => {
      const items = page.locator('[role=tree] [role=treeitem]');
      await soon(() => items.count()).toBeGreaterThan(5);
      await soon(() => items.first().getAttribute('aria-expanded')).toBe('true');
      await items.first().focus();
      await page.keyboard.press('ArrowDown');
      const focused = page.locator('[role=treeitem]:focus');
      await soon(() => focused.getAttribute('aria-level')).toBe('2');
      await soon(() => focused.innerText()).toMatch(/%\s.* s\s.*Thread\.run/);
      await soon(() => focused.getAttribute('aria-description')).toMatch(/Thread\.run, self/);
      await page.keyboard.press('ArrowLeft');
      await soon(() => focused.getAttribute('aria-expanded')).toBe('false');
      await soon(() => detail(page)).toMatch(/Thread\.run/);
      await page.screenshot({ path: `${resultsFolder}tree.png` });
    });
  });
});

describe('each filter', () => {
  const cases: [string, RegExp][] = [
    ['event=alloc', /GiB/],
    ['event=lock', /ms|s/],
    ['stage=3', /47\.\d s/],
    ['stage=4.0', /\d s/],
    ['job=1', /\d s/],
    ['task=20', /s/],
    ['stage=3&task=slowest5', /17\.\d s/],
    ['sql=1', /s/],
    ['executor=1', /s/],
    ['executor=driver', /s/],
    ['thread=4100', /s/],
    ['thread=~G1+Conc%230', /s/],
    ['from=10000&to=20000', /s/],
  ];
  it('changes what is counted', async () => {
    const seen = new Set<string>();
    for (const [filter, expected] of cases) {
      await on(`tab=flame&${filter}`, async (page) => {
        await drawn(page);
        const text = await totals(page);
        expect(text, filter).toMatch(expected);
        seen.add(text);
      });
    }
    expect(seen.size).toBe(cases.length);
  });

  it('can be added and removed in the bar', async () => {
    await on('tab=flame', async (page) => {
      await drawn(page);
      await page.selectOption('.side-a select.add', 'stage');
      await page.selectOption('.side-a select[aria-label="Choose stage"]', '3.0');
      await soon(() => hash(page)).toMatch(/stage=3\.0/);
      await page.selectOption('.side-a select.add', 'time');
      await page.fill('[name=from]', '10');
      await page.fill('[name=to]', '12');
      await page.keyboard.press('Enter');
      await soon(() => page.locator('.selection .side-a').innerText()).toMatch(/time: 10–12 s/);
      await page.click('[aria-label="Remove stage 3"]');
      await soon(() => hash(page)).not.toMatch(/stage=/);
      await page.goBack();
      await soon(() => page.locator('.selection .side-a').innerText()).toMatch(/stage: 3/);
    });
  });

  it('of nothing says why and what to do', async () => {
    await on('tab=flame&stage=77', async (page) => {
      await soon(() => page.locator('.empty').innerText()).toMatch(/No CPU samples match stage 77\. Remove a filter/);
    });
  });

  it('is set by rows, bars, findings and parts of the time', async () => {
    await on('tab=stages', async (page) => {
      await page.locator('.stages-list tbody tr').first().click();
      await soon(() => page.locator('.stage-head h2').innerText()).toBe('Stage 3');
      await page.click('.stage-detail >> text="Flame graph"');
      await drawn(page);
      await soon(() => hash(page)).toMatch(/tab=flame.*stage=3\.0/);
    });
    await on('', async (page) => {
      await page.click('text=Show stage 3, slowest 5% of tasks');
      await soon(() => hash(page)).toMatch(/task=slowest5/);
      await page.click('#tab-overview');
      await page.click('.spent-list >> text=Python CPU');
      await soon(() => hash(page)).toMatch(/stage=4&phase=python/);
    });
    await on('tab=stages&tasksOf=3.0', async (page) => {
      await page.locator('.stage-detail [aria-label="Tasks of stage 3"] [data-row]').first().click();
      await soon(() => hash(page)).toMatch(/stage=3\.0.*task=/);
    });
  });
});

describe('comparing', () => {
  it('halves the selected time', async () => {
    await on('tab=flame&from=10000&to=20000', async (page) => {
      await drawn(page);
      await page.selectOption('#compare', 'halves');
      await soon(() => hash(page)).toMatch(/from=15000&to=20000.*versus\.from=10000&versus\.to=15000/);
    });
  });

  it('shows both sides, the difference, and each preset', async () => {
    await on('tab=flame', async (page) => {
      await drawn(page);
      for (const preset of ['stragglers', 'executor', 'halves', 'same']) {
        await page.selectOption('#compare', preset);
        await page.waitForSelector('.side-b');
        await soon(() => totals(page), preset).toMatch(/ vs .* samples/);
        await soon(() => detail(page), preset).toMatch(/total, selected.*total, baseline.*change.*Baseline:/);
        await page.screenshot({ path: `${resultsFolder}compare-${preset}.png` });
        await page.click('.selection >> text="End"');
        await soon(() => page.locator('.side-b').count()).toBe(0);
        await page.evaluate(() => {
          location.hash = '#tab=flame';
        });
      }
    });
  });
});

describe('the ways to look at samples', () => {
  it('are one at a time, each with only those choices that change it', async () => {
    await on('tab=flame&tree=1&timeOrder=1', async (page) => {
      const pressed = page.locator('.segments [aria-pressed=true]');
      const choices = page.locator('.view-menu label');
      for (const [mode, has, lacks] of [
        ['Callers', /By thread/, /Spark frames|Root below/],
        ['Table', /^/, /Root below|Text tree|Color by package|Spark frames/],
        ['Time', /Color by package/, /Spark frames|By thread/],
        ['Graph', /Spark frames/, /Root below/],
      ] as const) {
        await page.click(`.segments button:text-is("${mode}")`);
        await soon(() => pressed.allInnerTexts()).toEqual([mode]);
        const names = (await choices.allTextContents()).join();
        expect(names, mode).toMatch(has);
        expect(names, mode).not.toMatch(lacks);
      }
    });
  });
});

describe('the keyboard alone', () => {
  it('reaches tabs, frames, zoom, views, comparison and help', async () => {
    await on('plumbing=1', async (page) => {
      await page.keyboard.press('2');
      await drawn(page);
      await page.locator('.flame-area').focus();
      for (const key of ['ArrowDown', 'ArrowDown', 'ArrowDown', 'ArrowRight']) await page.keyboard.press(key);
      await soon(() => detail(page)).toMatch(/^\S+\.\S+ .*total/);
      await page.keyboard.press('Enter');
      await soon(() => hash(page)).toMatch(/zoom=/);
      await page.keyboard.press('Backspace');
      await page.keyboard.press('Escape');
      await soon(() => hash(page)).not.toMatch(/zoom=/);
      await page.keyboard.press('m');
      await page.waitForSelector('[role=menu]');
      await page.keyboard.press('ArrowDown');
      await page.keyboard.press('Escape');
      await soon(() => page.locator('[role=menu]').count()).toBe(0);
      for (const [key, expected] of [
        ['i', 'flames=1'],
        ['r', 'reversed=1'],
        ['t', 'table=1'],
        ['l', 'timeline=0'],
        ['c', 'versus=1'],
      ] as const) {
        await page.keyboard.press(key);
        await soon(() => hash(page), key).toContain(expected);
      }
      await page.keyboard.press('?');
      await page.waitForSelector('dialog[open]');
      await page.screenshot({ path: `${resultsFolder}help.png` });
      await page.keyboard.press('Escape');
      await soon(() => page.locator('dialog[open]').count()).toBe(0);
    });
  });
});

describe('the address', () => {
  it('shows the same picture again', async () => {
    const full = 'tab=flame&event=wall&stage=4.0&search=score&flames=1&color=package&zoom=3&theme=dark';
    let text = '';
    await on(full, async (page) => {
      await drawn(page);
      await soon(() => page.evaluate(() => document.documentElement.dataset.theme)).toBe('dark');
      text = (await totals(page)) + (await detail(page));
      await page.click('[title="Table of functions (t)"]');
      await soon(() => hash(page)).toContain('table=1');
      await page.click('.segments >> text=Graph');
      await soon(async () => new URLSearchParams((await hash(page)).slice(1)).toString()).toBe(new URLSearchParams(full).toString());
    });
    await on(full, async (page) => {
      await drawn(page);
      await soon(async () => (await totals(page)) + (await detail(page))).toBe(text);
    });
  });
});
