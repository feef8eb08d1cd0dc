// SPDX-License-Identifier: Apache-2.0

/** How many times as much A is as B; marked where it is much more or less. */
export function Ratio({ a, b }: { a: number; b: number }) {
  const text = ratioText(a, b);
  const strong = b > 0 && a / b >= 1.2 ? 'more' : b > 0 && a / b <= 1 / 1.2 ? 'less' : '';
  return <span class={`ratio ${strong}`}>{text}</span>;
}

export function ratioText(a: number, b: number): string {
  if (b <= 0) return '–';
  const ratio = a / b;
  return `${ratio >= 100 ? Math.round(ratio) : ratio >= 10 ? ratio.toFixed(1) : ratio.toFixed(2)}×`;
}
