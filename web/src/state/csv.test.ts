// SPDX-License-Identifier: Apache-2.0
import { expect, it } from 'vitest';
import { toCsv } from './csv.ts';

it('keeps commas, quotes and line breaks inside a cell, and never a formula', () => {
  expect(
    toCsv(
      ['Name', 'ns'],
      [
        ['a,"b"', 12],
        ['=HYPERLINK("x")', -1],
        ['-1', 0],
        ['-1+1', 0],
      ],
    ),
  ).toBe('Name,ns\n"a,""b""",12\n"\'=HYPERLINK(""x"")",-1\n-1,0\n\'-1+1,0\n');
});
