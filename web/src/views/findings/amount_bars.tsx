// SPDX-License-Identifier: Apache-2.0
// Amounts side by side, each a bar of parts with its numbers; a limit across all of them.

export interface AmountRow {
  label: string;
  parts: { value: number; color: string }[];
  text: string;
}

interface Properties {
  rows: AmountRow[];
  caption: string;
  limit?: { value: number; label: string };
  keys?: { label: string; color: string }[];
}

export function AmountBars({ rows, caption, limit, keys = [] }: Properties) {
  const most = Math.max(limit?.value ?? 0, ...rows.map(({ parts }) => parts.reduce((sum, { value }) => sum + value, 0))) || 1;
  return (
    <figure class="picture">
      <div class="amounts" role="img" aria-label={`${caption}: ${rows.map(({ label, text }) => `${label} ${text}`).join('; ')}`}>
        {rows.map(({ label, parts, text }) => (
          <div key={label} class="amount-row">
            <span>{label}</span>
            <span class="amount-bar">
              {parts.map(({ value, color }, i) => (
                <i key={i} style={{ width: `${(100 * value) / most}%`, background: color }} />
              ))}
              {limit && <i class="amount-limit" style={{ left: `${(100 * limit.value) / most}%` }} />}
            </span>
            <span>{text}</span>
          </div>
        ))}
      </div>
      <figcaption class="quiet">
        {keys.map(({ label, color }) => (
          <span key={label} class="picture-key">
            <i class="swatch square" style={{ background: color }} />
            {label}
          </span>
        ))}
        {limit && (
          <span class="picture-key">
            <i class="amount-limit" />
            {limit.label}
          </span>
        )}
        {caption}
      </figcaption>
    </figure>
  );
}
