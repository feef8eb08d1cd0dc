// SPDX-License-Identifier: Apache-2.0
import { useState } from 'preact/hooks';
import { copyText } from './copy.ts';

const noticed = 2000; // ms

export function CopyButton({ text, label }: { text(): string; label: string }) {
  const [copied, setCopied] = useState(false);
  const copy = async () => {
    await copyText(text());
    setCopied(true);
    setTimeout(() => setCopied(false), noticed);
  };
  return (
    <button class="copy" onClick={() => void copy()}>
      {copied ? 'Copied' : label}
    </button>
  );
}
