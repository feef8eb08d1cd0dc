// SPDX-License-Identifier: Apache-2.0
import { execFileSync } from 'node:child_process';
import { expect, it } from 'vitest';
import { shellWord } from './shell.ts';

it('makes one word that a shell reads back unchanged', () => {
  expect(shellWord('--conf=spark.sparkprof.label=etl-1')).toBe('--conf=spark.sparkprof.label=etl-1');
  for (const text of ['', 'etl;touch $IFS;#', "it's", '$(id)`id`', '-n "a" !! ~ * \\', 'a\nb', 'ä']) {
    expect(execFileSync('sh', ['-c', `printf %s ${shellWord(text)}`], { encoding: 'utf8' })).toBe(text);
  }
});

it('has no characters that a terminal obeys', () => {
  expect(shellWord('a\x1b[201~\x15b\r\u009b')).toBe("'a\ufffd[201~\ufffdb\ufffd\ufffd'");
});
