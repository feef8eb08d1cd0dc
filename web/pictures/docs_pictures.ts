// SPDX-License-Identifier: Apache-2.0
// The pictures in docs/, of the report in SPARKPROF_REPORT: the Overview, and a tour of the page as an animated PNG; and of the page of
// `sparkprof compare -o` in SPARKPROF_COMPARE.
// Run with: npm run pictures
import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { crc32 } from 'node:zlib';
import { expect, test } from 'vitest';
import { Browser } from '../tests/browser.ts';

const report = process.env.SPARKPROF_REPORT;
const docs = (name: string) => fileURLToPath(new URL(`../../docs/${name}`, import.meta.url));
const signature = 8;

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

/** Pictures of one size, each shown for `seconds`, over and over. */
function animated(pngs: Buffer[], seconds: number): Buffer {
  const all = pngs.map(chunksOf);
  const head = all[0]!.find(({ type }) => type === 'IHDR')!.data;
  const count = Buffer.alloc(8);
  count.writeUInt32BE(pngs.length);
  const parts = [pngs[0]!.subarray(0, signature), chunk('IHDR', head), chunk('acTL', count)];
  let sequence = 0;
  all.forEach((chunks, frame) => {
    const control = Buffer.alloc(26);
    control.writeUInt32BE(sequence++);
    head.copy(control, 4, 0, 8); // width and height
    control.writeUInt16BE(seconds * 100, 20);
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

test.skipIf(!report)('pictures of the report in SPARKPROF_REPORT', async () => {
  const browser = await Browser.start();
  const shot = async (hash: string, size: { width: number; height: number }) => {
    const { page, problems } = await browser.open(`${pathToFileURL(report!).href}#${hash}`, size);
    await page.waitForTimeout(600);
    const png = await page.screenshot();
    expect(problems).toEqual([]);
    await page.close();
    return png;
  };
  writeFileSync(docs('report.png'), await shot('', { width: 1600, height: 1000 }));
  const small = { width: 1200, height: 760 };
  const tour = [];
  for (const hash of ['', 'tab=stages', 'tab=flame', 'tab=flame&table=1']) tour.push(await shot(hash, small));
  writeFileSync(docs('tour.png'), animated(tour, 2.5));
  await browser.stop();
  expect(chunksOf(readFileSync(docs('tour.png'))).filter(({ type }) => type === 'fcTL')).toHaveLength(tour.length);
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
