// SPDX-License-Identifier: Apache-2.0
interface Properties {
  values: ArrayLike<number>;
  label: string;
  width?: number;
  /** lines before some of the bars */
  marks?: { at: number; text: string }[];
}

/** Bars over time or over runs, scaled to the maximum. */
export function Sparkline({ values, label, width = 180, marks = [] }: Properties) {
  const most = Math.max(1, ...Array.from(values));
  const step = width / Math.max(1, values.length);
  return (
    <svg class="sparkline" width={width} height={18} role="img" aria-label={label}>
      {Array.from(values).map(
        (value, i) =>
          value > 0 && (
            <rect
              key={i}
              x={i * step}
              y={18 - Math.max(1, (value / most) * 18)}
              width={Math.max(1, step - 0.5)}
              height={Math.max(1, (value / most) * 18)}
            />
          ),
      )}
      {marks.map(({ at, text }) => (
        <line key={at} x1={at * step - 0.5} x2={at * step - 0.5} y2={18}>
          <title>{text}</title>
        </line>
      ))}
    </svg>
  );
}
