// SPDX-License-Identifier: Apache-2.0
// Turns Vite's output into one self-contained HTML file.
//
// The script becomes a classic inline script at the end of the body, because a report is opened by double click and a
// file:// page may not fetch modules. The content security policy names the hashes of exactly this script and this
// style sheet and nothing else, so that text inside the embedded data can never run and nothing can reach the network.
import { createHash } from 'node:crypto';
import { minify } from 'terser';
import type { Plugin } from 'vite';

/** The place where the renderer puts the data. Kept literally; src/render looks for this string. */
export const dataPlace = '<script id="sparkprof-data" type="application/octet-stream"></script>';

const sha256 = (text: string) => `'sha256-${createHash('sha256').update(text).digest('base64')}'`;

/** After Vite's own minifier, terser saves another 0.8 KB. Functions in their only callers, and joined statements, repeat less. */
const smaller = async (script: string, module: boolean): Promise<string> =>
  (
    await minify(script, {
      module,
      ecma: 2022,
      compress: { passes: 3, unsafe_arrows: true, reduce_funcs: false, conditionals: false, sequences: false },
    })
  ).code!;

/** The same scripts, smaller. */
export const smallScripts = (): Plugin => ({
  name: 'sparkprof-small-scripts',
  apply: 'build',
  enforce: 'post',
  async generateBundle(_options, bundle) {
    for (const output of Object.values(bundle)) if (output.type === 'chunk') output.code = await smaller(output.code, true);
  },
});

export function singleFile(fileName: string): Plugin {
  return {
    name: 'sparkprof-single-file',
    apply: 'build',
    enforce: 'post',
    async generateBundle(_options, bundle) {
      let script = '';
      let style = '';
      let html = '';
      for (const [name, output] of Object.entries(bundle)) {
        if (output.type === 'chunk') script += output.code;
        else if (name.endsWith('.css')) style += String(output.source);
        else if (name.endsWith('.html')) html = String(output.source);
        else throw new Error(`${name} cannot be put into the report; only scripts and styles can`);
        delete bundle[name];
      }
      script = await smaller(script, false);
      script = script.trim().replaceAll('</script', '<\\/script').replaceAll('<!--', '<\\!--');
      style = style.trim();
      const policy = [
        "default-src 'none'",
        `script-src ${sha256(script)}`,
        `style-src ${sha256(style)}`,
        'img-src data:',
        "base-uri 'none'",
        "form-action 'none'",
      ].join('; ');
      html = html
        .replaceAll(/\s*<script type="module"[^>]*><\/script>/g, '')
        .replaceAll(/\s*<link rel="(stylesheet|modulepreload)"[^>]*>/g, '')
        .replace('<title>', () => `<meta http-equiv="Content-Security-Policy" content="${policy}">\n<title>`)
        .replace('</head>', () => `<style>${style}</style>\n</head>`)
        .replace('</body>', () => `<script>${script}</script>\n</body>`);
      if (html.split(dataPlace).length !== 2) throw new Error(`the page must contain ${dataPlace} exactly once`);
      this.emitFile({ type: 'asset', fileName, source: html });
    },
  };
}
