// SPDX-License-Identifier: Apache-2.0
import type { Model } from '../../data/model.ts';

/** "checksum (slow_udf.py:16)" where findings or the table of functions have its line, else the function's name. */
export function nameWithLine(model: Model, label: number): string {
  const name = model.functions.name[label]!;
  const start = name.endsWith(')') ? `${name.slice(0, -1)}:` : '';
  if (!start) return name;
  const told = model.report.findings.flatMap(({ frames = [] }) => frames).find((frame) => frame.startsWith(start));
  if (told) return told;
  const udf = model.report.udfs.find((one) => `${one.name} (${one.file.slice(one.file.lastIndexOf('/') + 1)}:` === start);
  return udf && udf.line > 0 ? `${start}${udf.line})` : name;
}
