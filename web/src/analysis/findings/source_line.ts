// SPDX-License-Identifier: Apache-2.0
// The source code around the line that a finding names, where the report has the file.
import type { Report } from '../../data/contract.ts';

export interface SourceExcerpt {
  path: string;
  /** number of the first one */
  first: number;
  /** without the spaces that all of them begin with */
  lines: string[];
  /** the line of the finding */
  line: number;
}

const around = 2;
/** "checksum (slow_udf.py:22)", "collect at job.py:60" */
const place = /(?:\(| at )([^():\s]+):(\d+)\)?$/;

export function excerptOf({ sources = [] }: Pick<Report, 'sources'>, frame: string): SourceExcerpt | null {
  const [, file, number] = place.exec(frame) ?? [];
  const source = file && sources.find(({ path }) => path === file || path.endsWith(`/${file}`));
  if (!source) return null;
  const all = source.text.split('\n');
  const line = Number(number);
  if (line < 1 || line > all.length) return null;
  const first = Math.max(1, line - around);
  const lines = all.slice(first - 1, line + around);
  const shared = Math.min(...lines.flatMap((text) => (text.trim() ? [text.search(/\S/)] : [])));
  return { path: source.path, first, lines: lines.map((text) => text.slice(shared)), line };
}
