// SPDX-License-Identifier: Apache-2.0
import type { Signal } from '../../state/signals.ts';
import { useMemo } from 'preact/hooks';
import { frameKinds, frameOrigins } from '../../data/contract.ts';
import { splitByLine } from '../../analysis/flame/lines.ts';
import { isProfileAlone } from '../../data/model.ts';
import { rootLabel } from '../../state/flame.ts';
import { amount, exact, share } from '../../state/format.ts';
import { useStore } from '../../state/store.ts';
import { copyText } from '../copy.ts';
import { sentence } from '../describe.ts';
import { sideTitles } from '../sides.ts';
import { frameName, frameNumbers, type FrameNumber } from './flame_numbers.ts';
import { TopFunctions } from './top_functions.tsx';

const shownLines = 12;
/** For groups, see src/catalogue/catalogue_entry.h. */
const rareStacks = '[rare stacks]';

interface DetailsProperties {
  selected: Signal<number>;
  zoom: number;
  /** the graph is drawn: sums over all functions take a while on large profiles */
  painted: boolean;
}

/** The drawer: the picked frame, else the zoomed one, else what the selection is. A profile without an overview has its functions here. */
export function FlameDetails({ selected, zoom, painted }: DetailsProperties) {
  const store = useStore();
  const picture = store.flame.value.main;
  const row = selected.value >= 0 && selected.value < picture.layout.count ? selected.value : zoom;
  const label = picture.layout.label[row]!;
  const isFunction = label !== rootLabel && label < store.model.functions.count;
  const { versus } = store.view.value;
  const titles = sideTitles(store);
  return (
    <aside class="details" aria-label="Details">
      <h2 class="code">{frameName(store, picture, row)}</h2>
      <Numbers numbers={frameNumbers(store, picture, row)} />
      {isFunction ? (
        <AboutFunction label={label} />
      ) : (
        <p class="quiet">
          {store.view.value.table
            ? 'Click a function to see its lines, callers and callees.'
            : 'Hover over a frame to see its numbers, click to zoom. Press ? for keys and colors.'}
        </p>
      )}
      {!isFunction && !versus && painted && isProfileAlone(store.model.report) && <TopFunctions />}
      {versus && (
        <p class="quiet">
          {titles[0]}: {store.sideNames?.[0] ?? sentence(store.selection.value)}.<br />
          {titles[1]}: {store.sideNames?.[1] ?? sentence(versus)}.
        </p>
      )}
    </aside>
  );
}

/** The drawer beside the table: the picked function over all its frames. */
export function FunctionDetails({ label }: { label: number }) {
  const store = useStore();
  const sides = store.functionSums.value;
  const { sums } = store.flame.value;
  const unit = store.event.value?.unit ?? 'count';
  const numbers = sides.flatMap((side, i) =>
    (['total', 'self'] as const).map((key) => ({
      label: sides.length === 1 ? key : `${key}, ${sideTitles(store)[i]!.toLowerCase()}`,
      value: `${amount(side[key][label]!, unit)}  ${share(side[key][label]! / (sums[i] || 1))}`,
      exact: exact(side[key][label]!, unit),
    })),
  );
  return (
    <aside class="details" aria-label="Details">
      <h2 class="code">{store.labelNames[label]}</h2>
      <Numbers numbers={numbers} />
      {label < store.model.functions.count && <AboutFunction label={label} />}
    </aside>
  );
}

function Numbers({ numbers }: { numbers: FrameNumber[] }) {
  return (
    <dl class="numbers">
      {numbers.map(({ label, value, exact: whole }) => (
        <div key={label}>
          <dt>{label}</dt>
          <dd title={whole}>{value}</dd>
        </div>
      ))}
    </dl>
  );
}

function AboutFunction({ label }: { label: number }) {
  const store = useStore();
  const { functions } = store.model;
  const name = functions.name[label]!;
  return (
    <>
      <p class="quiet">
        {frameOrigins[functions.origin[label]!]} · {frameKinds[functions.kind[label]!]}
      </p>
      {name === rareStacks && (
        <p class="quiet">
          Stacks that each take less than 1/20,000 of their application's total. A group keeps their sum; the application's own flame graph
          shows them.
        </p>
      )}
      <Lines label={label} />
      <div class="buttons">
        <button onClick={() => store.update({ sandwich: name, reversed: false, table: false, timeOrder: false })}>
          Callers and callees
        </button>
        <button onClick={() => void copyText(name)}>Copy name</button>
      </div>
    </>
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
              {file ? `${file.split('/').pop()}${line > 0 ? `:${line}` : ''}` : line > 0 ? `line ${line}` : 'no line'}
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
