// SPDX-License-Identifier: Apache-2.0
// Writes the contract of docs/report-data.md: what the C++ renderer does, for tests.
import { readFileSync } from 'node:fs';
import { gzipSync } from 'node:zlib';
import { magic } from '../src/data/decode.ts';
import type { Report } from '../src/data/contract.ts';
import { dataPlace } from '../single_file.ts';

const typeNames = new Map<unknown, string>([
  [Uint8Array, 'u8'],
  [Uint16Array, 'u16'],
  [Uint32Array, 'u32'],
  [Int32Array, 'i32'],
  [Float64Array, 'f64'],
]);

/** The bytes before gzip. */
export function encodeBytes(report: Partial<Report>): Uint8Array {
  const columns: { offset: number; bytes: Uint8Array }[] = [];
  let size = 0;
  const json = new TextEncoder().encode(
    JSON.stringify(report, (_key, value: unknown) => {
      if (!ArrayBuffer.isView(value)) return value;
      const array = value as Uint8Array;
      const column = typeNames.get(array.constructor);
      if (!column) throw new Error(`no column type for ${array.constructor.name}`);
      const offset = size;
      columns.push({ offset, bytes: new Uint8Array(array.buffer, array.byteOffset, array.byteLength) });
      size = Math.ceil((size + array.byteLength) / 8) * 8;
      return { column, offset, count: array.length };
    }),
  );
  const area = Math.ceil((12 + json.length) / 8) * 8;
  const bytes = new Uint8Array(area + size);
  bytes.set(new TextEncoder().encode(magic));
  new DataView(bytes.buffer).setUint32(8, json.length, true);
  bytes.set(json, 12);
  for (const column of columns) bytes.set(column.bytes, area + column.offset);
  return bytes;
}

export function encodeBase64(report: Partial<Report>): string {
  return gzipSync(encodeBytes(report)).toString('base64');
}

/** A built page with data inside. */
export function pageWith(base64: string): string {
  const page = readFileSync(new URL('../dist/report.html', import.meta.url), 'utf8');
  return page.replace(dataPlace, () => dataPlace.replace('></', `>${base64}</`));
}
