// SPDX-License-Identifier: Apache-2.0
// The chips that show and change the selection; with a second row for a comparison.
import { useState } from 'preact/hooks';
import type { Selection } from '../data/contract.ts';
import { useStore } from '../state/store.ts';
import { UnusedFilters, type Filter } from './filter_notes.tsx';
import { applyPreset, presets } from './compare.ts';
import { LongName } from './long_name.tsx';
import { choices, describe, without, withChoice, type Dimension } from './describe.ts';
import { sideTitles } from './sides.ts';

const dimensions: { id: Dimension; label: string }[] = [
  { id: 'job', label: 'Job' },
  { id: 'tag', label: 'Tag of jobs' },
  { id: 'stage', label: 'Stage' },
  { id: 'task', label: 'Tasks' },
  { id: 'sql', label: 'SQL' },
  { id: 'phase', label: 'What tasks do' },
  { id: 'executor', label: 'Executor' },
  { id: 'thread', label: 'Thread' },
  { id: 'time', label: 'Time range' },
];

/** At the end of the row of tabs: the event where it acts, a filter to add, a comparison to choose. */
export function SelectionTools({ uses }: { uses: readonly Filter[] }) {
  const store = useStore();
  const { report } = store.model;
  const { selection, versus } = store.view.value;
  const isSet = describe(selection).length > 0 || versus !== null;
  return (
    <section class="selection-tools" aria-label="Selection">
      {uses.includes('event') && report.events.length > 0 && (
        <label class="event">
          Event{' '}
          <select id="event" value={store.event.value?.name ?? ''} onChange={(e) => store.select({ event: e.currentTarget.value })}>
            {report.events.map((event) => (
              <option key={event.id} value={event.name}>
                {event.label}
              </option>
            ))}
          </select>
        </label>
      )}
      {!isSet && uses.length > 0 && <Side name="a" selection={selection} change={(part) => store.select(part)} />}
      {report.events.length > 0 && (
        <label class="compare">
          <span class="visually-hidden">Compare</span>
          <select
            id="compare"
            value=""
            onChange={(e) => {
              const preset = presets.find(({ id }) => id === e.currentTarget.value);
              e.currentTarget.value = '';
              if (preset) applyPreset(store, preset);
            }}>
            <option value="">Compare…</option>
            {presets.map((preset) => (
              <option key={preset.id} value={preset.id} disabled={preset.sides(store) === null}>
                {preset.label}
              </option>
            ))}
          </select>
        </label>
      )}
    </section>
  );
}

/** The filters that are set, with those that the tab does not use marked. */
export function SelectionBar({ uses }: { uses: readonly Filter[] }) {
  const store = useStore();
  const { selection, versus } = store.view.value;
  if (describe(selection).length === 0 && versus === null && (!selection.search || uses.includes('search'))) return null;
  const titles = sideTitles(store);
  return (
    <section class="selection" aria-label="Filters">
      {versus && <span class="versus">{titles[0]}</span>}
      <Side name="a" selection={selection} change={(part) => store.select(part)} />
      {versus && (
        <>
          <span class="versus">vs {titles[1].toLowerCase()}</span>
          <Side name="b" selection={versus} change={(part) => store.selectVersus(part)} />
          <button
            title="Swap the two sides"
            aria-label="Swap the two sides"
            onClick={() => store.update({ selection: { ...versus, event: selection.event }, versus: selection }, true)}>
            ⇄
          </button>
          <button onClick={() => store.update({ versus: null }, true)} title="End the comparison (c)">
            End
          </button>
        </>
      )}
      <UnusedFilters uses={uses} />
    </section>
  );
}

function Side(props: { name: string; selection: Selection; change(part: Partial<Selection>): void }) {
  const { name, selection, change } = props;
  const store = useStore();
  const [adding, setAdding] = useState<Dimension | ''>('');
  // of two reports, each is an executor
  const parts = describe(selection).filter(({ dimension }) => !store.sideNames || dimension !== 'executor');
  const { report } = store.model;
  const possible = dimensions.filter(
    ({ id }) =>
      id === 'time' ||
      (id === 'task' ? report.tasks.taskId.length > 1 : (id !== 'executor' || !store.sideNames) && choices(store.model, id).length > 0),
  );
  return (
    <span class={`side side-${name}`} role="group" aria-label={name === 'a' ? 'Selected' : 'Compared with'}>
      {store.sideNames ? (
        <LongName text={store.sideNames[name === 'a' ? 0 : 1]} />
      ) : (
        parts.length === 0 && store.view.value.versus && <span class="quiet">everything</span>
      )}
      {parts.map(({ dimension, text }) => (
        <span class="chip" key={dimension}>
          <button class="chip-text" title="Change" onClick={() => setAdding(dimension)}>
            {dimension}: <LongName text={text} />
          </button>
          <button class="chip-remove" aria-label={`Remove ${dimension} ${text}`} onClick={() => change(without(dimension))}>
            ×
          </button>
        </span>
      ))}
      {adding === '' ? (
        <select class="add" aria-label="Add a filter" value="" onChange={(e) => setAdding(e.currentTarget.value as Dimension)}>
          <option value="">+ filter</option>
          {possible.map(({ id, label }) => (
            <option key={id} value={id}>
              {label}
            </option>
          ))}
        </select>
      ) : adding === 'time' ? (
        <TimeInput
          selection={selection}
          done={(part) => {
            setAdding('');
            if (part) change(part);
          }}
        />
      ) : (
        <select
          class="add"
          aria-label={`Choose ${adding}`}
          value=""
          ref={(element) => element?.focus()}
          onBlur={() => setAdding('')}
          onChange={(e) => {
            const { value } = e.currentTarget;
            setAdding('');
            if (value) change(withChoice(adding, value));
          }}>
          <option value="">{adding}…</option>
          {choices(store.model, adding).map(({ value, label }) => (
            <option key={value} value={value}>
              {label}
            </option>
          ))}
        </select>
      )}
    </span>
  );
}

function TimeInput(props: { selection: Selection; done(part: Partial<Selection> | null): void }) {
  const { from, to } = props.selection;
  return (
    <form
      class="time-input"
      onSubmit={(e) => {
        e.preventDefault();
        const data = new FormData(e.currentTarget);
        const ms = (name: string) => {
          const text = String(data.get(name) ?? '').trim();
          return text === '' || !Number.isFinite(Number(text)) ? undefined : Number(text) * 1000;
        };
        props.done({ from: ms('from'), to: ms('to') });
      }}>
      <input
        name="from"
        type="number"
        step="any"
        min="0"
        placeholder="from s"
        aria-label="From second"
        value={from === undefined ? '' : from / 1000}
        ref={(element) => {
          if (element && document.activeElement?.closest('.time-input') === null) element.focus();
        }}
      />
      <input
        name="to"
        type="number"
        step="any"
        min="0"
        placeholder="to s"
        aria-label="To second"
        value={to === undefined ? '' : to / 1000}
      />
      <button type="submit">Set</button>
      <button type="button" onClick={() => props.done(null)}>
        Cancel
      </button>
    </form>
  );
}
