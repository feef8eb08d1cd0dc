// SPDX-License-Identifier: Apache-2.0
// Puts the modules of one folder next to each other in a script. gzip finds repetitions only within 32 KiB, and what
// repeats is mostly the vocabulary of a folder: canvas calls in charts, elements in views.
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import type { Plugin } from 'vite';

/** Imports all modules of the folders first, in order of their names. Those that nothing uses are left out by the bundler. */
export const likeBesideLike = (entry: string, folders: string[]): Plugin => ({
  name: 'sparkprof-like-beside-like',
  apply: 'build',
  transform: {
    order: 'pre',
    handler(code, id) {
      if (!id.endsWith(`/${entry}`)) return null;
      const source = join(id, '..');
      const modules = folders.flatMap((folder) =>
        readdirSync(join(source, folder), { recursive: true, encoding: 'utf8' })
          .filter((name) => /\.tsx?$/.test(name) && !name.includes('.test.'))
          .sort()
          .map((name) => `./${folder}/${name}`),
      );
      return { code: modules.map((name) => `import '${name}';\n`).join('') + code, map: null };
    },
  },
});
