// SPDX-License-Identifier: Apache-2.0
/** Bars over the application's duration, scaled to the maximum. */
export function Sparkline({ values, label, width = 180 }: { values: ArrayLike<number>; label: string; width?: number }) {
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
    </svg>
  );
}
