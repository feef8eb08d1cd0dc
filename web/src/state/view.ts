// SPDX-License-Identifier: Apache-2.0
// All that decides what the page shows. It lives in the URL's hash, so that a copied URL shows the same picture.
import type { Transform } from '../analysis/flame/transforms.ts';
import type { Selection } from '../data/contract.ts';

export interface View {
  tab: string;
  selection: Selection;
  /** the other side of a comparison */
  versus: Selection | null;
  /** root below instead of above */
  flames: boolean;
  reversed: boolean;
  byThread: boolean;
  /** the stacks of one thread or task in order of time */
  timeOrder: boolean;
  /** function shown with its callers and callees; empty for none */
  sandwich: string;
  color: 'kind' | 'package';
  showIdle: boolean;
  /** opens at the root and not below the frames that most stacks share */
  stem: boolean;
  /** PySpark's own Python frames, below [pyspark runtime] */
  pyspark: boolean;
  /** long runs of Spark's frames one by one, not as one row */
  plumbing: boolean;
  table: boolean;
  /** the flame graph as an ARIA tree instead of a picture */
  tree: boolean;
  /** compare absolute weights instead of shares */
  absolute: boolean;
  transforms: Transform[];
  /** row of the flame layout */
  zoom: number;
  timeline: boolean;
  /** of the timeline's charts, px; 0: compact */
  timelineHeight: number;
  /** the part of the time axis in sight, ms; null for all */
  window: { from: number; to: number } | null;
  allCurves: boolean;
  /** "stage.attempt" of the task list */
  tasksOf: string;
  theme: '' | 'light' | 'dark';
  /** the log panel next to the timeline */
  logs: boolean;
  /** the moment around which the log is shown, ms since the application's start */
  moment: number | null;
  /** what single views show: sort orders, toggles, open nodes, by a name of their own */
  parts: Record<string, string>;
  /** names of the curves in the Metrics tab, each process apart; empty for the first few */
  metrics: string[];
}

export const defaultView: View = {
  tab: 'overview',
  selection: {},
  versus: null,
  flames: false,
  reversed: false,
  byThread: false,
  timeOrder: false,
  sandwich: '',
  color: 'kind',
  showIdle: false,
  stem: false,
  pyspark: false,
  plumbing: false,
  table: false,
  tree: false,
  absolute: false,
  transforms: [],
  zoom: 0,
  timeline: true,
  timelineHeight: 0,
  window: null,
  allCurves: false,
  tasksOf: '',
  theme: '',
  logs: false,
  moment: null,
  parts: {},
  metrics: [],
};

/** of the members of `parts` in the hash */
const partPrefix = 'v.';

type Flag = { [Key in keyof View]: View[Key] extends boolean ? Key : never }[keyof View];
const flags = Object.entries(defaultView).flatMap(([name, value]) => (typeof value === 'boolean' ? [name as Flag] : []));
const transformKinds = ['focus', 'hide', 'collapse'] as const;

/** In the order in which they stand in the hash; the attempt stands behind its stage. */
const members = ['event', 'job', 'tag', 'stage', 'task', 'sql', 'node', 'phase', 'executor', 'thread', 'from', 'to', 'search'] as const;
type Member = (typeof members)[number];
const texts: readonly Member[] = ['event', 'tag', 'phase', 'executor', 'search'];

function textOf(selection: Selection, member: Member): string {
  const value = selection[member];
  if (value === undefined) return '';
  if (Array.isArray(value)) return writeIds(value);
  if (member === 'stage' && selection.stageAttempt !== undefined) return `${value}.${selection.stageAttempt}`;
  // a tilde distinguishes a name from a number
  return member === 'thread' && typeof value === 'string' ? `~${value}` : String(value);
}

function memberFrom(member: Member, text: string): string | number | number[] | undefined {
  if (texts.includes(member) || (member === 'task' && (text === 'slowest5' || text === 'median'))) return text;
  if (member === 'task' && /[,~]/.test(text)) return readIds(text);
  if (member === 'thread' && text.startsWith('~')) return text.slice(1);
  return number(member === 'stage' ? text.split('.')[0] : text);
}

function writeSelection(to: URLSearchParams, selection: Selection, prefix: string): void {
  for (const member of members) {
    const text = textOf(selection, member);
    if (text) to.append(prefix + member, text);
  }
}

function number(text: string | null | undefined): number | undefined {
  if (text === null || text === undefined || text.trim() === '') return undefined;
  const value = Number(text);
  return Number.isFinite(value) ? value : undefined;
}

/** TIDs, those that follow each other as "first~last": tasks of a stage mostly do. */
function writeIds(ids: number[]): string {
  const parts: string[] = [];
  const sorted = [...ids].sort((a, b) => a - b);
  for (let first = 0, at = 0; at < sorted.length; at++) {
    if (sorted[at + 1] === sorted[at]! + 1) continue;
    parts.push(first === at ? String(sorted[at]) : `${sorted[first]}~${sorted[at]}`);
    first = at + 1;
  }
  // a comma distinguishes a list from a single task
  return parts.length === 1 && !parts[0]!.includes('~') ? `${parts[0]},` : parts.join(',');
}

const mostIds = 1_000_000;

function readIds(text: string): number[] {
  const ids: number[] = [];
  for (const part of text.split(',')) {
    const [first, last = first] = part.split('~').map(number);
    if (first === undefined || last === undefined) continue;
    for (let id = first; id <= last && ids.length < mostIds; id++) ids.push(id);
  }
  return ids;
}

function readSelection(from: URLSearchParams, prefix: string): Selection {
  const selection: Record<string, unknown> = {};
  const set = (member: string, value: unknown) => {
    if (value !== undefined && value !== '') selection[member] = value;
  };
  for (const member of members) set(member, memberFrom(member, from.get(prefix + member) ?? ''));
  if (selection.stage !== undefined) set('stageAttempt', number(from.get(`${prefix}stage`)!.split('.')[1]));
  return selection;
}

/** The hash without "#"; default values are omitted. */
export function toHash(view: View): string {
  const to = new URLSearchParams();
  if (view.tab !== defaultView.tab) to.set('tab', view.tab);
  writeSelection(to, view.selection, '');
  if (view.versus) {
    to.set('versus', '1');
    writeSelection(to, view.versus, 'versus.');
  }
  for (const flag of flags) if (view[flag] !== defaultView[flag]) to.set(flag, view[flag] ? '1' : '0');
  if (view.sandwich) to.set('sandwich', view.sandwich);
  if (view.color !== defaultView.color) to.set('color', view.color);
  for (const { kind, name } of view.transforms) to.append('transform', `${kind}:${name}`);
  if (view.zoom) to.set('zoom', String(view.zoom));
  if (view.timelineHeight) to.set('height', String(Math.round(view.timelineHeight)));
  if (view.window) to.set('window', `${Math.round(view.window.from)}-${Math.round(view.window.to)}`);
  if (view.tasksOf) to.set('tasksOf', view.tasksOf);
  if (view.theme) to.set('theme', view.theme);
  if (view.moment !== null) to.set('at', String(Math.round(view.moment)));
  for (const [name, value] of Object.entries(view.parts)) to.set(partPrefix + name, value);
  for (const name of view.metrics) to.append('metric', name);
  return to.toString();
}

/** Parses any hash; invalid parts get their default. */
export function fromHash(hash: string): View {
  const from = new URLSearchParams(hash.replace(/^#/, ''));
  const view: View = { ...defaultView, selection: readSelection(from, '') };
  view.tab = from.get('tab') ?? defaultView.tab;
  view.versus = from.has('versus') ? readSelection(from, 'versus.') : null;
  for (const flag of flags) if (from.has(flag)) view[flag] = from.get(flag) === '1';
  view.sandwich = from.get('sandwich') ?? '';
  view.color = from.get('color') === 'package' ? 'package' : 'kind';
  view.transforms = from.getAll('transform').flatMap((text) => {
    const colon = text.indexOf(':');
    const kind = transformKinds.find((known) => known === text.slice(0, colon));
    return kind ? [{ kind, name: text.slice(colon + 1) }] : [];
  });
  view.zoom = Math.max(0, Math.floor(number(from.get('zoom')) ?? 0));
  view.timelineHeight = Math.max(0, Math.min(2000, number(from.get('height')) ?? 0));
  const window = /^(\d+)-(\d+)$/.exec(from.get('window') ?? '');
  if (window && Number(window[1]) < Number(window[2])) view.window = { from: Number(window[1]), to: Number(window[2]) };
  view.tasksOf = from.get('tasksOf') ?? '';
  view.moment = number(from.get('at')) ?? null;
  view.parts = Object.fromEntries(
    [...from].flatMap(([key, value]) => (key.startsWith(partPrefix) ? [[key.slice(partPrefix.length), value]] : [])),
  );
  view.metrics = from.getAll('metric');
  const theme = from.get('theme');
  view.theme = theme === 'light' || theme === 'dark' ? theme : '';
  return view;
}
