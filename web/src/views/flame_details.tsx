// SPDX-License-Identifier: Apache-2.0
import type { Signal } from '@preact/signals';
import { useMemo } from 'preact/hooks';
import { frameKinds, frameOrigins } from '../data/contract.ts';
import { splitByLine } from '../analysis/lines.ts';
import { rootLabel } from '../state/flame.ts';
import { amount, exact, share } from '../state/format.ts';
import { useStore } from '../state/store.ts';
import { copyText } from './copy.ts';
import { sentence } from './describe.ts';
import { missingEventsHint } from './flame_empty.ts';
import { frameName, frameNumbers } from './flame_numbers.ts';

const shownLines = 12;
/** For groups, see src/catalogue/catalogue_entry.h. */
const rareStacks = '[rare stacks]';

/** The side panel: the picked frame, else the zoomed one, else what the selection is. */
export function FlameDetails({ selected, zoom }: { selected: Signal<number>; zoom: number }) {
  const store = useStore();
  const picture = store.flame.value.main;
  const row = selected.value >= 0 && selected.value < picture.layout.count ? selected.value : zoom;
  const label = picture.layout.label[row]!;
  const { functions } = store.model;
  const isFunction = label !== rootLabel && label < functions.count;
  const { versus } = store.view.value;
  return (
    <aside class="details" aria-label="Details">
      <h2 class="code">{frameName(store, picture, row)}</h2>
      {isFunction && (
        <p class="quiet">
          {frameOrigins[functions.origin[label]!]} · {frameKinds[functions.kind[label]!]}
        </p>
      )}
      {isFunction && functions.name[label] === rareStacks && (
        <p class="quiet">
          Stacks that each take less than 1/20,000 of their application's total. A group keeps their sum; the application's own flame graph
          shows them.
        </p>
      )}
      <dl class="numbers">
        {frameNumbers(store, picture, row).map(({ label: name, value, exact: whole }) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd title={whole}>{value}</dd>
          </div>
        ))}
      </dl>
      {isFunction && <Lines label={label} />}
      {isFunction && (
        <div class="buttons">
          <button onClick={() => store.update({ sandwich: functions.name[label]!, reversed: false })}>Callers and callees</button>
          <button onClick={() => void copyText(functions.name[label]!)}>Copy name</button>
        </div>
      )}
      {versus && (
        <p class="quiet">
          A: {store.sideNames?.[0] ?? sentence(store.selection.value)}.<br />B (baseline): {store.sideNames?.[1] ?? sentence(versus)}.
        </p>
      )}
      {!isFunction && (
        <p class="quiet">Hover over a frame to see its numbers, click to zoom, right-click for more. Press ? for keys and colors.</p>
      )}
      {!isFunction && store.weights.value[0]!.idle > 0 && (
        <p class="quiet">
          {amount(store.weights.value[0]!.idle, store.event.value?.unit ?? 'ns')} of threads that sleep outside tasks or wait in a pool are
          hidden; “Idle threads” above shows them.
        </p>
      )}
      {!isFunction && missingEventsHint(store) && <p class="quiet">{missingEventsHint(store)}</p>}
    </aside>
  );
}

function Lines({ label }: { label: number }) {
  const store = useStore();
  const filter = store.filters.value[0]!;
  const lines = useMemo(() => splitByLine(store.model, filter, label), [store.model, filter, label]);
  const unit = store.event.value?.unit ?? 'ns';
  const sum = lines.reduce((total, line) => total + line.weight, 0);
  if (lines.length === 0) return null;
  return (
    <>
      <h3>
        Lines <span class="quiet">of this function in the selection</span>
      </h3>
      <ol class="lines">
        {lines.slice(0, shownLines).map(({ file, line, kind, weight }) => (
          <li key={`${file}:${line}:${kind}`} title={`${file}:${line} · ${exact(weight, unit)}`}>
            <span class="code">
              {file.split('/').pop()}
              {line > 0 ? `:${line}` : ''}
            </span>
            <span class="quiet">{frameKinds[kind]}</span>
            <span>{share(weight / (sum || 1))}</span>
          </li>
        ))}
      </ol>
      {lines.length > shownLines && <p class="quiet">and {lines.length - shownLines} more lines</p>}
    </>
  );
}
