// SPDX-License-Identifier: Apache-2.0
// The pictures in docs/, of the report in SPARKPROF_REPORT, which has the source code of its job: the Overview, and as an animated PNG, a
// tour of a selected time, the story of a finding, and the answer bar that leads to a function and its lines; and of the page of
// `sparkprof compare -o` in SPARKPROF_COMPARE.
// Run with: npm run pictures
import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { crc32 } from 'node:zlib';
import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { Browser } from '../tests/browser.ts';

const report = process.env.SPARKPROF_REPORT;
const docs = (name: string) => fileURLToPath(new URL(`../../docs/${name}`, import.meta.url));
const signature = 8;
/** of the tour, so that the guide opens fast */
const mostBytes = 1.5 * 2 ** 20;

interface Chunk {
  type: string;
  data: Buffer;
}

function chunksOf(png: Buffer): Chunk[] {
  const chunks: Chunk[] = [];
  for (let at = signature; at < png.length; ) {
    const length = png.readUInt32BE(at);
    chunks.push({ type: png.toString('latin1', at + 4, at + 8), data: png.subarray(at + 8, at + 8 + length) });
    at += 12 + length;
  }
  return chunks;
}

function chunk(type: string, data: Buffer): Buffer {
  const body = Buffer.concat([Buffer.from(type, 'latin1'), data]);
  const [length, sum] = [Buffer.alloc(4), Buffer.alloc(4)];
  length.writeUInt32BE(data.length);
  sum.writeUInt32BE(crc32(body));
  return Buffer.concat([length, body, sum]);
}

interface Shot {
  png: Buffer;
  /** that it is shown */
  seconds: number;
}

/** Pictures of one size, over and over. */
function animated(shots: Shot[]): Buffer {
  const all = shots.map(({ png }) => chunksOf(png));
  const head = all[0]!.find(({ type }) => type === 'IHDR')!.data;
  const count = Buffer.alloc(8);
  count.writeUInt32BE(shots.length);
  const parts = [shots[0]!.png.subarray(0, signature), chunk('IHDR', head), chunk('acTL', count)];
  let sequence = 0;
  all.forEach((chunks, frame) => {
    const control = Buffer.alloc(26);
    control.writeUInt32BE(sequence++);
    head.copy(control, 4, 0, 8); // width and height
    control.writeUInt16BE(shots[frame]!.seconds * 100, 20);
    control.writeUInt16BE(100, 22);
    parts.push(chunk('fcTL', control));
    for (const { type, data } of chunks) {
      if (type !== 'IDAT') continue;
      const number = Buffer.alloc(4);
      if (frame > 0) number.writeUInt32BE(sequence++);
      parts.push(frame === 0 ? chunk('IDAT', data) : chunk('fdAT', Buffer.concat([number, data])));
    }
  });
  return Buffer.concat([...parts, chunk('IEND', Buffer.alloc(0))]);
}

const settled = 400; // ms

/** A page with a pointer in its pictures, which browsers leave out. */
class Tour {
  readonly shots: Shot[] = [];
  private at: { x: number; y: number } | null = null;

  constructor(private readonly page: Page) {}

  async shoot(seconds: number): Promise<void> {
    await this.page.waitForTimeout(settled);
    await this.page.evaluate((at) => {
      document.getElementById('pointer')?.remove();
      if (!at) return;
      const pointer = document.createElementNS('http://www.w3.org/2000/svg', 'svg');
      pointer.id = 'pointer';
      pointer.innerHTML = '<path d="M1 1v17l4.5-4 3 7 3-1.3-3-6.7h6z" fill="#000" stroke="#fff" stroke-width="1.4"/>';
      Object.assign(pointer.style, { position: 'fixed', left: `${at.x}px`, top: `${at.y}px`, width: '18px', height: '24px' });
      Object.assign(pointer.style, { zIndex: '99', pointerEvents: 'none' });
      document.body.append(pointer);
    }, this.at);
    this.shots.push({ png: await this.page.screenshot(), seconds });
  }

  async point(x: number, y: number): Promise<void> {
    this.at = { x, y };
    await this.page.mouse.move(x, y);
  }

  /** Points at an element, at a part of its width. */
  async pointAt(selector: string, part = 0.5): Promise<void> {
    const box = (await this.page.locator(selector).first().boundingBox())!;
    await this.point(box.x + part * box.width, box.y + box.height / 2);
  }

  /** Drags along an element, between two parts of its width. */
  async drag(selector: string, from: number, to: number): Promise<void> {
    await this.pointAt(selector, from);
    await this.shoot(0.9);
    await this.page.mouse.down();
    await this.pointAt(selector, (from + to) / 2);
    await this.pointAt(selector, to);
    await this.shoot(0.5);
    await this.page.mouse.up();
  }

  /** Points at the frame of a function in the flame graph. */
  async pointAtFrame(name: string): Promise<void> {
    const box = (await this.page.locator('.flame-main .flame-canvas').boundingBox())!;
    for (let y = box.y + box.height - rowHeight / 2; y > box.y; y -= rowHeight) {
      for (let x = box.x + box.width / 16; x < box.x + box.width; x += box.width / 16) {
        await this.point(x, y);
        const tip = this.page.locator('.tooltip b');
        if ((await tip.count()) > 0 && (await tip.first().innerText()).startsWith(name)) return;
      }
    }
    throw new Error(`no frame of ${name}`);
  }
}

/** px; half the height of a frame's row, so that each is found */
const rowHeight = 9;

test.skipIf(!report)('pictures of the report in SPARKPROF_REPORT', async () => {
  const browser = await Browser.start();
  const open = async (size: { width: number; height: number }) => {
    const { page, problems } = await browser.open(pathToFileURL(report!).href, size);
    await page.waitForTimeout(settled);
    return { page, problems };
  };
  const { page: overview } = await open({ width: 1600, height: 1000 });
  writeFileSync(docs('report.png'), await overview.screenshot());
  const { page, problems } = await open({ width: 1200, height: 760 });
  const name = (await page.innerText('.top-functions .row-name')).split(' ')[0]!;
  const tour = new Tour(page);
  await tour.shoot(2.5);
  await tour.drag('.wall-bar', 0.55, 0.8);
  await tour.pointAt('.core-time h2', 0.9); // a tooltip would cover what follows the time
  await tour.shoot(3);
  await page.click('.selection .chip-remove');
  await page.locator('.story').first().scrollIntoViewIfNeeded();
  await tour.pointAt('.story-change .advice', 0.2);
  await tour.shoot(4);
  await page.keyboard.press('Control+k');
  await page.keyboard.type(name);
  await tour.shoot(2.5);
  await page.keyboard.press('Enter');
  await page.waitForSelector('.flame-main .flame-host[data-drawn]');
  await tour.pointAtFrame(name);
  await tour.shoot(2);
  await page.mouse.down();
  await page.mouse.up();
  await tour.point(600, 640); // beside the graph, where no tooltip covers it
  await tour.shoot(2);
  await page.locator('.source-code').scrollIntoViewIfNeeded();
  const line = (await page.locator('.source-code .sampled').last().boundingBox())!;
  await tour.point(line.x + 0.6 * line.width, line.y + line.height / 2);
  await tour.shoot(4);
  writeFileSync(docs('tour.png'), animated(tour.shots));
  await browser.stop();
  expect(problems).toEqual([]);
  const written = readFileSync(docs('tour.png'));
  expect(chunksOf(written).filter(({ type }) => type === 'fcTL')).toHaveLength(tour.shots.length);
  expect(written.length).toBeLessThan(mostBytes);
});

const compare = process.env.SPARKPROF_COMPARE;

test.skipIf(!compare)('picture of the comparison in SPARKPROF_COMPARE', async () => {
  const browser = await Browser.start();
  const { page, problems } = await browser.open(pathToFileURL(compare!).href, { width: 1200, height: 760 }, 'light', '.verdict-line');
  await page.waitForTimeout(600);
  writeFileSync(docs('compare.png'), await page.screenshot());
  expect(problems).toEqual([]);
  await browser.stop();
});
