// SPDX-License-Identifier: Apache-2.0
import { defineConfig } from 'vitest/config';
import { singleFile } from './single_file.ts';
import { standaloneScripts } from './standalone_scripts.ts';

const inBrowser = { environment: 'node', testTimeout: 120_000, hookTimeout: 60_000, fileParallelism: false };

export default defineConfig({
  plugins: [singleFile('report.html'), standaloneScripts(['flame_svg', 'heatmap_page'])],
  build: {
    target: 'es2022',
    cssCodeSplit: false,
    modulePreload: false,
    reportCompressedSize: false,
    rolldownOptions: { output: { format: 'iife' } },
  },
  test: {
    projects: [
      { test: { name: 'unit', include: ['src/**/*.test.ts'], environment: 'node' } },
      { test: { name: 'browser', include: ['tests/**/*.browser.test.ts'], ...inBrowser } },
      { test: { name: 'bench', include: ['bench/*.ts'], ...inBrowser } },
    ],
  },
});
