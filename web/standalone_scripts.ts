// SPDX-License-Identifier: Apache-2.0
// The scripts of the pictures that stand alone (a flame graph as SVG, a heat map): each file without its types, into
// Vite's output folder. They import nothing.
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { transformWithOxc, type Plugin } from 'vite';

export function standaloneScripts(names: string[]): Plugin {
  let output = '';
  return {
    name: 'sparkprof-standalone-scripts',
    apply: 'build',
    configResolved(config) {
      output = join(config.root, config.build.outDir);
    },
    async closeBundle() {
      mkdirSync(output, { recursive: true });
      for (const name of names) {
        const file = join(import.meta.dirname, 'standalone', `${name}.ts`);
        const { code } = await transformWithOxc(readFileSync(file, 'utf8'), file, { sourcemap: false });
        writeFileSync(join(output, `${name}.js`), code);
      }
    },
  };
}
