// SPDX-License-Identifier: Apache-2.0
// An open finding: its picture, the line, the change, the prediction, and what goes into a pull request.
import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import type { Finding, Report } from '../src/data/contract.ts';
import { hash, narrow, on, save, wide } from './ask.ts';
import { resultsFolder, soon } from './browser.ts';
import { encodeBase64, pageWith } from './encode.ts';
import { demoReport } from './make_data.ts';

const open = (report: Report, test: (page: Page) => Promise<void>, size = wide, theme: 'light' | 'dark' = 'light') =>
  on('', test, size, theme, save('finding.html', pageWith(encodeBase64(report))));

const withFindings = (findings: Finding[]): Report => ({ ...demoReport(), findings });

describe('an open finding', () => {
  it('tells the claim, the tasks with the offender, the change, the prediction and what was ruled out', async () => {
    for (const size of [wide, narrow])
      for (const theme of ['light', 'dark'] as const)
        await open(
          demoReport(),
          async (page) => {
            const story = page.locator('.finding[open] .story');
            await soon(() => story.locator('.picture-label').allInnerTexts()).toEqual([
              expect.stringMatching(/^Time task \d+: \d\.\d s; median \d+ ms$/),
              expect.stringMatching(/^\S.* task \d+: .* of all; median /),
            ]);
            expect(
              await story
                .locator('.picture svg')
                .first()
                .evaluate((one) => one.getBoundingClientRect().width),
            ).toBe(480);
            expect(await story.locator('.diff pre').innerText()).toBe(
              '- spark.sql.adaptive.skewJoin.enabled=false\n+ spark.sql.adaptive.skewJoin.enabled=true',
            );
            expect(await story.locator('.predicted-row').allInnerTexts()).toEqual([
              expect.stringMatching(/recorded$/),
              expect.stringMatching(/ to .* predicted$/),
            ]);
            expect(await story.locator('.ruled-out li').allInnerTexts()).toContain('Failed tasks: none');
            await page.screenshot({ path: `${resultsFolder}finding-${size.width}-${theme}.png`, fullPage: true });
          },
          size,
          theme,
        );
  });

  it('becomes Markdown with a diff for a pull request', async () => {
    await open(demoReport(), async (page) => {
      await page.evaluate(() => {
        navigator.clipboard.writeText = (text) => {
          document.title = text;
          return Promise.resolve();
        };
      });
      await page.locator('.finding[open] >> text=Copy for a pull request').click();
      await soon(() => page.title()).toMatch(
        /^### Stage 3 waits for two slow tasks .*```diff - spark\.sql\.adaptive\.skewJoin\.enabled=false \+ /s,
      );
      expect(await page.title()).toMatch(/\*\*Prediction:\*\* .* instead of .* Ruled out: - Garbage collection/s);
    });
  });

  it('shows the source of its line where the report has it', async () => {
    const report = demoReport();
    const [, python] = report.findings;
    await open(
      {
        ...report,
        findings: [python!],
        sources: [{ path: 'jobs/demo_job.py', text: Array.from({ length: 40 }, (_, i) => `line_${i + 1}()`).join('\n') }],
      },
      async (page) => {
        const lines = page.locator('.excerpt tr');
        await soon(() => lines.count()).toBe(5);
        expect(await page.locator('.excerpt .sampled').innerText()).toMatch(/^29\s+line_29\(\)$/);
        expect(await page.locator('.diff .added').first().innerText()).toContain('@pandas_udf');
      },
    );
  });

  it('about a join shows both of its sides and what it returns', async () => {
    const report = demoReport();
    const join = report.sql[0]!.plan!.children![0]!.children![0]!;
    Object.assign(join, { rowsIn: 240_000, rowsOut: 240_000_000 });
    report.findings = [
      {
        id: 'exploding-join',
        rule: 'exploding-join',
        title: 'A join returns 1,000 times the rows it reads',
        severity: 'high',
        confidence: 'high',
        what: 'SortMergeJoin of SQL execution 0 (collect at job.py:25) reads 240,000 rows and returns 240,000,000',
        evidence: { event: 'cpu', sql: 0 },
        change: 'Join by all columns of the key.',
        savingMs: { low: 1000, high: 2000 },
        saving: '1.0–2.0 s',
      },
    ];
    await open(report, async (page) => {
      const rows = page.locator('.amount-row');
      await soon(() => rows.last().innerText()).toMatch(/Returns\s+240 M rows/);
      const widths = await page.locator('.amount-bar > i').evaluateAll((bars) => bars.map((bar) => bar.getBoundingClientRect().width));
      expect(widths[0]! * 20).toBeLessThan(widths.at(-1)!);
    });
  });

  it('about a stage with few tasks shows their phases', async () => {
    const [, , idle] = demoReport().findings;
    await open(withFindings([{ ...idle!, rule: 'skew', severity: 'high', evidence: { stage: 5 } }]), async (page) => {
      await soon(() => page.locator('.picture .phase-list').innerText()).toMatch(/^Phases of stage 5 /);
      expect(await page.locator('.picture .phase-bar i').count()).toBeGreaterThan(1);
    });
  });

  it('that is a failure is the headline in red, with its line and the chain of causes', async () => {
    const [skew] = demoReport().findings;
    const title = 'Stage 3 failed: ValueError: bad row';
    const failure: Finding = {
      ...skew!,
      rule: 'failed-work',
      title,
      isFailure: true,
      frames: ['parse (demo_job.py:12)'],
      failure: {
        id: 'heap-full',
        cause: 'The Java heap was full.',
        chain: [{ what: 'heap-full', text: 'The Java heap was full.', at: null, task: 3, host: 'a' }],
      },
    };
    const report = withFindings([failure, skew!]);
    report.summary = { ...report.summary, verdict: `${title}.` };
    await open(report, async (page) => {
      const line = page.locator('.verdict-line');
      await soon(() => line.innerText()).toBe(`${title}.`);
      const [red, bad] = await line.evaluate((one) => [
        getComputedStyle(one).color,
        getComputedStyle(document.querySelector('.finding .bad')!).color,
      ]);
      expect(red).toBe(bad);
      expect(await page.locator('.verdict-state').innerText()).toMatch(/^parse \(demo_job\.py:12\)\s*after \d/);
      expect(await page.locator('.chain b').first().innerText()).toBe('The Java heap was full');
      expect(await page.locator('.finding[open] .predicted').count()).toBe(0);
    });
  });
});

describe('a part of the cost', () => {
  it('leads to its own samples', async () => {
    await on('', async (page) => {
      await page.click('.spent-list >> text=JVM CPU');
      await soon(() => hash(page)).toMatch(/event=cpu.*phase=jvm/);
      await soon(() => page.locator('.chip').allInnerTexts()).toEqual([expect.stringMatching(/phase: JVM CPU/)]);
    });
  });
});
