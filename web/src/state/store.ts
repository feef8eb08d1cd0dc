// SPDX-License-Identifier: Apache-2.0
// The page's state and the answers that follow from it. Answers are computed when something shows them, and kept.
import { batch, computed, signal, type ReadonlySignal, type Signal } from './signals.ts';
import { createContext } from 'preact';
import { useContext, useState } from 'preact/hooks';
import type { Selection } from '../data/contract.ts';
import type { Model } from '../data/model.ts';
import { compileSelection, countSamples, eventOf, weigh, type Weights } from '../analysis/selection.ts';
import { threadGroups } from '../analysis/thread_groups.ts';
import { searchNames } from '../analysis/search.ts';
import { whyNoTimeOrder } from '../analysis/time/time_order.ts';
import { pathTo, rowOfPath } from '../analysis/flame/flame_layout.ts';
import { buildFlame, functionSums, type Flame } from './flame.ts';
import { date } from './format.ts';
import { printing } from './printing.ts';
import { fromHash, toHash, type View } from './view.ts';

/** ms */
const hashDelay = 200;

export class Store {
  private readonly current: Signal<Model>;
  readonly view = signal<View>(fromHash(''));
  readonly help = signal(false);
  /** a server still receives data of the application */
  readonly running = signal(false);
  readonly systemDark = signal(false);
  readonly dark = computed(() => !printing.value && (this.view.value.theme ? this.view.value.theme === 'dark' : this.systemDark.value));
  readonly selection = this.part((view) => view.selection);
  readonly versus = this.part((view) => view.versus);
  readonly event = computed(() => eventOf(this.model, this.selection.value));
  /** The inputs of the weights, as text, so that other changes of the view do not recompute them. */
  private readonly weightKey = computed(() => {
    const { selection, versus, showIdle } = this.view.value;
    const core = (s: Selection | null) => s && { ...s, search: undefined };
    return JSON.stringify([core(selection), core(versus), showIdle]);
  });
  readonly filters = computed(() => {
    const [selection, versus, showIdle] = JSON.parse(this.weightKey.value) as [Selection, Selection | null, boolean];
    const sides = versus ? [selection, { ...versus, event: selection.event }] : [selection];
    return sides.map((side) => compileSelection(this.model, side, !showIdle));
  });
  readonly weights: ReadonlySignal<Weights[]> = computed(() => this.filters.value.map((filter) => weigh(this.model, filter)));
  private readonly flameKey = this.part(({ reversed, byThread, timeOrder, sandwich, transforms, absolute, pyspark, plumbing, selection }) =>
    // a search finds each frame for itself
    JSON.stringify({ reversed, byThread, timeOrder, sandwich, transforms, absolute, pyspark, plumbing: plumbing || !!selection.search }),
  );
  /** why the stacks of the selection have no order of time; empty if they have */
  readonly whyNoTimeOrder = computed(() =>
    this.filters.value.length > 1
      ? 'Time order shows one selection: end the comparison first.'
      : whyNoTimeOrder(this.model, (JSON.parse(this.weightKey.value) as [Selection])[0], this.filters.value[0]!),
  );
  private readonly inTimeOrder = computed(() => this.view.value.timeOrder && this.whyNoTimeOrder.value === '');
  readonly flame: ReadonlySignal<Flame> = computed(() =>
    buildFlame(this.model, this.filters.value, this.weights.value, {
      ...(JSON.parse(this.flameKey.value) as View),
      timeOrder: this.inTimeOrder.value,
    }),
  );
  readonly functionSums = computed(() => functionSums(this.model, this.flame.value));
  /** the runs or ranges that a comparison is of, where no selection describes them */
  sideNames: [string, string] | null = null;
  private readonly names = computed(() => [
    ...this.model.functions.name,
    ...this.model.report.threads.map((thread) => thread.name || `thread ${thread.tid}`),
    ...threadGroups,
  ]);
  readonly search = computed(() => searchNames(this.labelNames, this.searchText.value));
  private hashTimer: ReturnType<typeof setTimeout> | undefined;
  private readonly searchText = this.part((view) => view.selection.search ?? '');

  constructor(model: Model) {
    this.current = signal(model);
  }

  get model(): Model {
    return this.current.value;
  }

  /** labels: functions, threads, groups of threads; those beyond are runs of frames */
  get labelNames(): string[] {
    return this.names.value;
  }

  /** Date and zone of a time, ms since the application's start; empty where the data has no dates. */
  dateAt(ms: number): string {
    const { startTime } = this.model.report.application;
    return startTime > 0 ? date(startTime + ms) : '';
  }

  /** The application's start to the minute. */
  startDate(): string {
    return this.dateAt(0).replace(/:[\d.]+ UTC$/, ' UTC');
  }

  /** Shows later data of the same application in the same view; a zoomed frame is found again by its path. */
  replaceModel(model: Model): void {
    const { zoom } = this.view.peek();
    const names = this.names.peek();
    const before = zoom > 0 ? this.flame.peek().main.layout : null;
    const path = before && zoom < before.count ? pathTo(before, zoom).map((row) => names[before.label[row]!] ?? '') : [];
    batch(() => {
      this.current.value = model;
      if (path.length === 0) return;
      const after = this.names.peek();
      this.view.value = { ...this.view.peek(), zoom: rowOfPath(this.flame.peek().main.layout, path, (label) => after[label] ?? '') };
    });
  }

  /** Changes the view. `push` makes a step that the browser's back button undoes. */
  update(change: Partial<View>, push = false): void {
    const before = this.view.peek();
    const after = { ...before, ...change };
    // a row number means nothing in another layout
    const relaid = (
      [
        'selection',
        'versus',
        'reversed',
        'byThread',
        'timeOrder',
        'sandwich',
        'transforms',
        'absolute',
        'showIdle',
        'pyspark',
        'plumbing',
      ] as const
    ).some((key) => key in change && !sameButSearch(before[key], after[key]));
    const searches = !before.selection.search !== !after.selection.search;
    if ((relaid || searches) && change.zoom === undefined) after.zoom = 0;
    this.view.value = after;
    if (push) {
      this.writeHash(before);
      this.hash('pushState', after);
    } else {
      // wheels and typing change the view faster than browsers let the address follow
      this.hashTimer ??= setTimeout(() => this.writeHash(this.view.peek()), hashDelay);
    }
  }

  /** The address of the view after a change. */
  hrefOf(change: Partial<View>): string {
    // Whole, because checks of accessibility take an address that begins with # for a link that skips a part of the page.
    return `${location.href.split('#')[0]}#${toHash({ ...this.view.value, ...change })}`;
  }

  /** Shows selections, unless one has no samples. */
  get tabOfSelections(): string {
    return this.model.report.events.length > 0 ? 'flame' : 'stages';
  }

  /** The address of the selection with other members. */
  hrefWith(change: Partial<Selection>, tab = this.view.value.tab): string {
    return this.hrefOf({ selection: merged(this.view.value.selection, change), tab });
  }

  /** Changes members of the selection; undefined removes one. */
  select(change: Partial<Selection>, more: Partial<View> = {}): void {
    this.update({ selection: merged(this.view.peek().selection, change), ...more }, true);
  }

  selectVersus(change: Partial<Selection>): void {
    this.update({ versus: merged(this.view.peek().versus ?? {}, change) }, true);
  }

  /** Replaces the selection, keeping the event unless the new selection has one, and shows it. */
  goTo(selection: Selection): void {
    const event = selection.event ?? this.view.peek().selection.event;
    const wanted = event ? { ...selection, event } : selection;
    this.update({ selection: wanted, versus: null, ...this.placeOf(wanted) }, true);
    this.useEventWithSamples();
  }

  /** Changes members of the selection and shows it. */
  show(change: Partial<Selection>): void {
    const wanted = merged(this.view.peek().selection, change);
    this.update({ selection: wanted, ...this.placeOf(wanted) }, true);
    this.useEventWithSamples();
  }

  /** Where a selection is best seen: its flame graph, or without samples the tables of what is selected. */
  private placeOf(selection: Selection): Partial<View> {
    const { stages, sql, executors } = this.model.report;
    if (this.eventWithSamples(selection)) return { tab: 'flame' };
    const { stage, stageAttempt = 0 } = selection;
    if (stage !== undefined && stages.length > 0) return { tab: 'stages', tasksOf: `${stage}.${stageAttempt}` };
    if (selection.sql !== undefined && sql.length > 0) return { tab: 'sql' };
    if (selection.executor !== undefined && executors.length > 0) return { tab: 'executors' };
    return { tab: stages.length > 0 ? 'stages' : 'overview' };
  }

  /** The event of the selection, else the first that has samples in it; null if none has. */
  private eventWithSamples(selection: Selection): string | null {
    const { events } = this.model.report;
    const first = eventOf(this.model, selection)?.name;
    const names = [...events.map(({ name }) => name)].sort((a, b) => Number(b === first) - Number(a === first));
    return (
      names.find(
        (event) => countSamples(this.model, compileSelection(this.model, { ...selection, event }, !this.view.peek().showIdle)) > 0,
      ) ?? null
    );
  }

  private useEventWithSamples(): void {
    const { selection, tab } = this.view.peek();
    const event = tab === 'flame' ? this.eventWithSamples(selection) : null;
    if (event && event !== this.event.peek()?.name) this.update({ selection: { ...selection, event } });
  }

  /** Sets what one view shows; empty for its default. */
  setPart(name: string, value: string): void {
    const { [name]: _before, ...parts } = this.view.peek().parts;
    this.update({ parts: value === '' ? parts : { ...parts, [name]: value } });
  }

  readHash(): void {
    clearTimeout(this.hashTimer);
    this.hashTimer = undefined;
    this.view.value = fromHash(location.hash);
  }

  private writeHash(view: View): void {
    clearTimeout(this.hashTimer);
    this.hashTimer = undefined;
    this.hash('replaceState', view);
  }

  private hash(how: 'pushState' | 'replaceState', view: View): void {
    const hash = `#${toHash(view)}`;
    if (hash === (location.hash || '#')) return;
    try {
      history[how](null, '', hash);
    } catch {
      // some embedding pages forbid it; the view works, only its address does not follow
    }
  }

  private part<T>(pick: (view: View) => T): ReadonlySignal<T> {
    return computed(() => pick(this.view.value));
  }
}

function sameButSearch(before: unknown, after: unknown): boolean {
  const text = (value: unknown) => JSON.stringify(value, (key, member: unknown) => (key === 'search' ? undefined : member));
  return text(before) === text(after);
}

function merged(selection: Selection, change: Partial<Selection>): Selection {
  const result: Record<string, unknown> = { ...selection, ...change };
  for (const key of Object.keys(result)) if (result[key] === undefined || result[key] === '') delete result[key];
  if (result.stage === undefined) delete result.stageAttempt;
  return result as Selection;
}

/** A text that the URL keeps, as [value, set]; outside a report, such as in the tables of the server, nothing keeps it. */
export function usePart(name: string): [string, (value: string) => void] {
  const store = useContext(StoreContext);
  const [own, setOwn] = useState('');
  return store ? [store.view.value.parts[name] ?? '', (value) => store.setPart(name, value)] : [own, setOwn];
}

export const StoreContext = createContext<Store | null>(null);

export function useStore(): Store {
  const store = useContext(StoreContext);
  if (!store) throw new Error('a view stands outside the store');
  return store;
}
