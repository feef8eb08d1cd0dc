// SPDX-License-Identifier: Apache-2.0
import { useState } from 'preact/hooks';
import { useStore } from '../state/store.ts';
import { verdictMarkdown } from '../state/markdown.ts';
import { copyText } from './copy.ts';

/** Copies the verdict and the findings for an issue, a chat or a page of notes. */
export function CopyMarkdown() {
  const store = useStore();
  const [copied, setCopied] = useState(false);
  return (
    <button
      class="copy"
      title="Copy the verdict and the findings as Markdown"
      onClick={() => void copyText(verdictMarkdown(store.model)).then(() => setCopied(true))}>
      {copied ? 'Copied' : 'Copy as Markdown'}
    </button>
  );
}
