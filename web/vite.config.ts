// SPDX-License-Identifier: Apache-2.0
import { readFileSync } from 'node:fs';
import type { Plugin } from 'vite';
import { defineConfig, type ViteUserConfig as UserConfig } from 'vitest/config';
import { likeBesideLike } from './like_beside_like.ts';
import { singleFile, smallScripts } from './single_file.ts';
import { standaloneScripts } from './standalone_scripts.ts';

const inBrowser = { environment: 'node', testTimeout: 120_000, hookTimeout: 60_000, fileParallelism: false };
// Pages wait more than they compute, so two files run side by side.
const sideBySide = { ...inBrowser, fileParallelism: true, maxWorkers: 2 };

const common = { target: 'es2022', cssCodeSplit: false, modulePreload: false, reportCompressedSize: false } as const;

/** Children as arguments take less room in the script than children in an object. */
const oxc: UserConfig['oxc'] = {
  jsx: { runtime: 'classic', pragma: 'createNode', pragmaFrag: 'NodeList' },
  jsxInject: "import { h as createNode, Fragment as NodeList } from 'preact'",
};

const report: UserConfig = {
  plugins: [
    likeBesideLike('src/main.tsx', ['data', 'analysis', 'charts', 'state', 'views']),
    singleFile('report.html'),
    standaloneScripts(['flame_svg', 'heatmap_page']),
  ],
  build: { ...common, rolldownOptions: { output: { format: 'iife' } } },
};

/** Leaves settings that a server may not set out of the script with their form. */
const onlyCentralSettings = (): Plugin => ({
  name: 'central-settings',
  enforce: 'pre',
  load(id) {
    if (!id.endsWith('/settings.tsv?raw')) return;
    const lines = readFileSync(id.slice(0, -'?raw'.length), 'utf8').split('\n');
    const central = lines
      .findLast((line) => line.startsWith('# key\t'))!
      .split('\t')
      .indexOf('central');
    return `export default ${JSON.stringify(lines.filter((line) => line.startsWith('# key\t') || line.split('\t')[central] === 'yes').join('\n'))}`;
  },
});

/** The pages of `sparkprof serve`: names without hashes, because the server gives them ETags. The page Fleet has a script of its own. */
const server: UserConfig = {
  base: '/assets/',
  // not the folder server/: its late pages have a script of their own
  plugins: [likeBesideLike('src/server_main.tsx', ['data', 'analysis', 'charts', 'state']), onlyCentralSettings(), smallScripts()],
  build: {
    ...common,
    emptyOutDir: false,
    rolldownOptions: {
      input: 'server.html',
      output: { format: 'es', entryFileNames: 'server.js', chunkFileNames: 'server_fleet.js', assetFileNames: 'server[extname]' },
    },
  },
};

/** The page of `sparkprof fleet report`. */
const fleet: UserConfig = {
  plugins: [singleFile('fleet.html')],
  build: { ...common, emptyOutDir: false, rolldownOptions: { input: 'fleet.html', output: { format: 'iife' } } },
};

/** The page of `sparkprof compare -o`. */
const compare: UserConfig = {
  plugins: [singleFile('compare.html')],
  build: { ...common, emptyOutDir: false, rolldownOptions: { input: 'compare.html', output: { format: 'iife' } } },
};

const builds: Record<string, UserConfig> = { server, fleet, compare };

export default defineConfig(({ mode }) => ({
  ...(builds[mode] ?? report),
  oxc,
  test: {
    projects: [
      { test: { name: 'unit', include: ['src/**/*.test.ts'], environment: 'node' } },
      { test: { name: 'browser', include: ['tests/**/*.browser.test.ts'], ...sideBySide } },
      { test: { name: 'pictures', include: ['pictures/*.ts'], ...inBrowser } },
      { test: { name: 'bench', include: ['bench/*.ts'], ...inBrowser } },
    ],
  },
}));
