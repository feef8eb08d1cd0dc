// SPDX-License-Identifier: Apache-2.0
// The time of the answer bar from a key to its answers, for the first key with the building of its index.
import type { Page } from 'playwright-core';
import { cpuClock } from './browser.ts';

/** The first key, the median and the slowest of the others, and their CPU time, as text. */
export async function answerKeys(page: Page, text: string): Promise<string> {
  await page.keyboard.press('Control+k');
  await page.waitForSelector('.answers');
  const clock = await cpuClock(page);
  const type = (keys: string) =>
    page.evaluate(async (letters) => {
      const input = document.querySelector<HTMLInputElement>('.answers input')!;
      const took: number[] = [];
      for (const letter of letters) {
        input.value += letter;
        const began = performance.now();
        input.dispatchEvent(new InputEvent('input', { bubbles: true }));
        // Preact draws in a microtask
        await new Promise((resolve) => setTimeout(resolve));
        document.querySelector('.answers')!.getBoundingClientRect();
        took.push(performance.now() - began);
      }
      return took;
    }, keys);
  const [first] = await type(text[0]!);
  const before = await clock();
  const later = (await type(text.slice(1))).sort((a, b) => a - b);
  const cpu = ((await clock()) - before) / later.length;
  await page.keyboard.press('Escape');
  const [median, slowest] = [later[later.length >> 1]!, later.at(-1)!];
  return `answers: first key ${first!.toFixed(0)} ms, others ${median.toFixed(1)}, at most ${slowest.toFixed(1)} ms (CPU ${cpu.toFixed(1)} ms each)`;
}
