// SPDX-License-Identifier: Apache-2.0
import { defineConfig } from 'vitest/config';
import { singleFile } from './single_file.ts';

export default defineConfig({
  plugins: [singleFile('report.html')],
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
      {
        test: {
          name: 'browser',
          include: ['tests/**/*.browser.test.ts'],
          environment: 'node',
          testTimeout: 60_000,
          hookTimeout: 60_000,
          fileParallelism: false,
        },
      },
    ],
  },
});
