// SPDX-License-Identifier: Apache-2.0
// The source code of the picked function, with what each line costs in the selection.
import type { Signal } from '../../state/signals.ts';
import { useMemo } from 'preact/hooks';
import { sourceOf, weightOfLines } from '../../analysis/flame/lines.ts';
import { rootLabel } from '../../state/flame.ts';
import { amount, exact, share } from '../../state/format.ts';
import { usePart, useStore } from '../../state/store.ts';

/** lines before the first and after the last one of the function that was sampled */
const around = 8;
const mostLines = 3000;

export function SourceCode({ selected, zoom }: { selected: Signal<number>; zoom: number }) {
  const store = useStore();
  const { layout } = store.flame.value.main;
  const row = selected.value >= 0 && selected.value < layout.count ? selected.value : zoom;
  const label = layout.label[row]!;
  const { model } = store;
  const found = useMemo(() => (label === rootLabel || label >= model.functions.count ? null : sourceOf(model, label)), [model, label]);
  return found && <Code key={label} {...found} />;
}

function Code({ source, lines }: { source: number; lines: number[] }) {
  const store = useStore();
  const { model } = store;
  const filter = store.filters.value[0]!;
  const weights = useMemo(() => weightOfLines(model, filter, source), [model, filter, source]);
  const { path, text } = model.report.sources![source]!;
  const code = useMemo(() => text.split('\n'), [text]);
  const [whole, setWhole] = usePart('wholeFile');
  const unit = store.event.value?.unit ?? 'ns';
  const sum = store.weights.value[0]!.total || 1;
  const first = whole ? 1 : Math.max(1, lines[0]! - around);
  const last = Math.min(code.length, whole ? mostLines : Math.min(lines.at(-1)! + around, first + mostLines));
  const known = lines[0]! <= code.length;
  return (
    <section class="source-code" aria-label="Source code" tabIndex={0}>
      <h2>
        <span class="code">{path}</span> <span class="quiet">share of the selection by line</span>{' '}
        <button class="link" onClick={() => setWhole(whole ? '' : '1')}>
          {whole ? 'Show the function' : 'Show the whole file'}
        </button>
      </h2>
      {!known && (
        <p class="quiet note">
          Line {lines[0]} was sampled, but this file has {code.length}: it is another version than the one that ran.
        </p>
      )}
      <table class="code" aria-label={`Lines of ${path}`}>
        <thead class="visually-hidden">
          <tr>
            <th>Line</th>
            <th>Total</th>
            <th>Self</th>
            <th>Code</th>
          </tr>
        </thead>
        <tbody>
          {code.slice(first - 1, last).map((line, i) => {
            const weight = weights.get(first + i);
            return (
              <tr key={first + i} class={weight ? 'sampled' : ''}>
                <td class="quiet">{first + i}</td>
                <td title={weight && exact(weight.total, unit)}>
                  {weight && `${share(weight.total / sum)}  ${amount(weight.total, unit)}`}
                </td>
                <td class="quiet" title={weight && exact(weight.self, unit)}>
                  {weight && weight.self > 0 && `self ${share(weight.self / sum)}`}
                </td>
                <td>{line}</td>
              </tr>
            );
          })}
        </tbody>
      </table>
      {whole && code.length > last && <p class="quiet note">The other {code.length - last} lines are not shown.</p>}
    </section>
  );
}
