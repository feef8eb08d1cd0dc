// SPDX-License-Identifier: Apache-2.0
// Answers that the bar finds in a report: functions, stages, queries, settings and so on, each kind built when it is first searched.
import { nameWithLine } from '../../analysis/flame/function_name.ts';
import { eventOfUserTime, userTime } from '../../analysis/flame/user_functions.ts';
import { wallOfStages } from '../../analysis/time/wall_time.ts';
import { type EventType, Origin, type PlanNode, type Selection } from '../../data/contract.ts';
import { lasted, type Model, stageLabel } from '../../data/model.ts';
import { amount, duration, share } from '../../state/format.ts';
import type { Store } from '../../state/store.ts';
import { tabsOf } from '../tabs.ts';
import { escapeRegex } from '../text.ts';
import type { Answer, Entries } from './answer.ts';

/** Weights leave room below 1 for what else speaks for an entry. */
const largest = 0.5;
const usersOwn = 0.3;

const lower = (...parts: (string | number | undefined)[]) => parts.join(' ').toLowerCase();
/** Weights of entries by their size, relative to the largest one. */
function bySize(sizes: ArrayLike<number>): (place: number) => number {
  let most = 0;
  for (let place = 0; place < sizes.length; place++) most = Math.max(most, sizes[place]!);
  return (place) => (most > 0 ? (largest * sizes[place]!) / most : 0);
}
const oneLine = (text: string) => text.replaceAll(/\s+/g, ' ').trim();
const list = (...parts: (string | false | undefined)[]) => parts.filter(Boolean).join(' · ');

export const stageView = ({ stageId, attemptId }: { stageId: number; attemptId: number }, more: Selection = {}) => ({
  tab: 'stages',
  tasksOf: `${stageId}.${attemptId}`,
  selection: { stage: stageId, stageAttempt: attemptId, ...more },
  versus: null,
});

export function functionView(model: Model, name: string, event: string | undefined): Answer['view'] {
  return {
    tab: model.report.events.length > 0 ? 'flame' : 'overview',
    selection: event ? { event } : {},
    versus: null,
    sandwich: name,
    reversed: false,
    timeOrder: false,
  };
}

export const timeText = (weight: number, { unit, name }: EventType) =>
  `${amount(weight, unit)} ${name === 'wall' ? 'of wall-clock samples' : 'CPU'}`;

/** For each function the first event, of `order`, in whose samples it is; -1 for none. */
function eventOfFunctions(model: Model, order: number[]): Int8Array {
  const { samples } = model.report;
  const { tree, nodeOfStack, functions } = model;
  const places = new Map(order.map((id, place) => [id, place]));
  const events = new Uint32Array(tree.count);
  for (let row = 0; row < samples.event.length; row++) {
    events[nodeOfStack[samples.stack[row]!]!]! |= 1 << (places.get(samples.event[row]!) ?? 31);
  }
  for (let node = tree.count - 1; node > 0; node--) events[tree.parent[node]!]! |= events[node]!;
  const first = new Int8Array(functions.count).fill(-1);
  for (let node = 1; node < tree.count; node++) {
    const own = order.findIndex((_id, place) => events[node]! & (1 << place));
    const label = tree.label[node]!;
    if (own >= 0 && (first[label]! < 0 || own < first[label]!)) first[label] = own;
  }
  return first;
}

export function functionEntries(model: Model): Entries {
  const { functions, report } = model;
  const event = eventOfUserTime(model);
  const events = [...report.events].sort((a, b) => Number(b === event) - Number(a === event));
  const eventOf = eventOfFunctions(
    model,
    events.map(({ id }) => id),
  );
  const weights = new Float64Array(functions.count);
  // the time of a function of the user is that of the Overview, with all that it calls in libraries
  for (const anyone of event ? [true, false] : []) {
    for (const { label, weight } of userTime(model, event!.id, {}, anyone).functions) weights[label] = weight;
  }
  const size = bySize(weights);
  return {
    group: 'Functions',
    texts: functions.name.map((name) => name.toLowerCase()),
    weight: (label) => size(label) + (functions.origin[label] === Origin.User ? usersOwn : 0),
    answer: (label) => ({
      title: nameWithLine(model, label),
      note: weights[label]! > 0 ? timeText(weights[label]!, event!) : '',
      view: functionView(model, functions.name[label]!, events[eventOf[label]!]?.name),
    }),
  };
}

export function stageEntries(model: Model): Entries {
  const { stages } = model.report;
  const walls = wallOfStages(model);
  return {
    group: 'Stages',
    texts: stages.map((stage) => lower('stage', stageLabel(stage), stage.name, stage.status === 'FAILED' ? 'failed' : '')),
    weight: bySize(walls),
    keys: (row) => [stageLabel(stages[row]!)],
    answer: (row) => ({
      title: `Stage ${stageLabel(stages[row]!)}: ${oneLine(stages[row]!.name)}`,
      note: list(
        stages[row]!.status === 'FAILED' && 'failed',
        walls[row]! > 0 && `${share(walls[row]! / (model.duration * 1e6))} of the wall time`,
        lasted(stages[row]!) > 0 && duration(lasted(stages[row]!) * 1e6),
      ),
      view: stageView(stages[row]!),
    }),
  };
}

export function jobEntries(model: Model): Entries {
  const { jobs } = model.report;
  return {
    group: 'Jobs',
    texts: jobs.map((job) => lower('job', job.jobId, job.description, job.name, job.status === 'FAILED' ? 'failed' : '')),
    weight: bySize(jobs.map(lasted)),
    keys: (row) => [String(jobs[row]!.jobId)],
    answer: (row) => ({
      title: `Job ${jobs[row]!.jobId}: ${oneLine(jobs[row]!.description || jobs[row]!.name)}`,
      note: list(jobs[row]!.status === 'FAILED' && 'failed', lasted(jobs[row]!) > 0 && duration(lasted(jobs[row]!) * 1e6)),
      view: { tab: 'stages', tasksOf: '', selection: { job: jobs[row]!.jobId }, versus: null },
    }),
  };
}

/** Queries by their text, then the operators of their plans. */
export function queryEntries(model: Model): Entries {
  const { sql } = model.report;
  const operators: { row: number; node: number; operator: PlanNode }[] = [];
  sql.forEach(({ plan }, row) => {
    let next = 0;
    const add = (operator: PlanNode) => {
      const node = next++;
      if (operator.operator) operators.push({ row, node, operator });
      operator.children?.forEach(add);
    };
    if (plan) add(plan);
  });
  const size = bySize(sql.map(lasted));
  return {
    group: 'Queries',
    texts: [
      ...sql.map(({ id, description }) => lower('sql query', id, oneLine(description))),
      ...operators.map(({ operator: { name, text } }) => lower(name, text)),
    ],
    // the text of a query before one of its operators
    weight: (place) => (place < sql.length ? size(place) + usersOwn : size(operators[place - sql.length]!.row) / 2),
    keys: (place) => (place < sql.length ? [String(sql[place]!.id)] : []),
    answer: (place) => {
      const found = operators[place - sql.length];
      const query = sql[found ? found.row : place]!;
      const time = lasted(query) > 0 && duration(lasted(query) * 1e6);
      const view = { tab: 'sql', selection: { sql: query.id, ...(found && { node: found.node }) }, versus: null };
      return found
        ? { title: oneLine(found.operator.text || found.operator.name), note: `operator of SQL ${query.id}`, view }
        : { title: `SQL ${query.id}: ${oneLine(query.description)}`, note: list(query.status === 'FAILED' && 'failed', time), view };
    },
  };
}

export function settingEntries({ report: { environment } }: Model): Entries {
  return {
    group: 'Settings',
    texts: environment.map(({ name, value }) => lower(name, value)),
    weight: (row) => (environment[row]!.section.startsWith('Spark') ? largest : 0),
    keys: (row) => [environment[row]!.name.toLowerCase()],
    answer: (row) => ({
      title: environment[row]!.name,
      note: environment[row]!.value,
      view: { tab: 'environment', selection: { search: escapeRegex(environment[row]!.name) }, versus: null },
    }),
  };
}

export function executorEntries({ report: { executors } }: Model): Entries {
  return {
    group: 'Executors',
    texts: executors.map(({ id, host, removeReason }) => lower(id === 'driver' ? '' : 'executor', id, host, removeReason && 'lost')),
    weight: bySize(executors.map(({ totals, totalTasks }) => totals?.executorRunTimeNs ?? totalTasks)),
    keys: (row) => [executors[row]!.id.toLowerCase()],
    answer: (row) => {
      const { id, host, removeReason, totals } = executors[row]!;
      return {
        title: id === 'driver' ? 'Driver' : `Executor ${id}`,
        note: list(host, !!totals?.executorRunTimeNs && `${duration(totals.executorRunTimeNs)} of tasks`, oneLine(removeReason)),
        view: { tab: 'executors', selection: { executor: id }, versus: null },
      };
    },
  };
}

export function findingEntries(store: Store): Entries {
  const { findings } = store.model.report;
  return {
    group: 'Findings',
    texts: findings.map(({ title, what, change, frames = [], rule }) => lower(title, what, change, ...frames, rule)),
    // they are in order of importance
    weight: (place) => largest / (1 + place),
    keys: (place) => (findings[place]!.stages ?? []).map(String),
    tellsWhy: () => true,
    answer: (place) => ({
      title: findings[place]!.title,
      note: findings[place]!.saving && `could save ${findings[place]!.saving}`,
      view: findingView(store, findings[place]!.id),
    }),
  };
}

/** The Overview of the whole run with this finding open. */
export const findingView = (store: Store, id: string) => ({
  tab: 'overview',
  selection: {},
  versus: null,
  parts: { ...store.view.peek().parts, finding: id },
});

export function viewEntries({ report }: Model): Entries {
  const shown = tabsOf(report);
  return {
    group: 'Views',
    texts: shown.map(({ label }) => lower(label)),
    weight: () => 0,
    answer: (place) => ({ title: shown[place]!.label, note: '', view: { tab: shown[place]!.id } }),
  };
}

/** The tasks with this TID, which is not in the texts: there may be a million of them. */
export function tasksNumbered(model: Model, words: string[]): Answer[] {
  const id = words.find((word) => /^\d+$/.test(word));
  if (!id || words.some((word) => word !== id && word !== 'task' && word !== 'tid')) return [];
  const task = model.report.tasks.taskId.indexOf(Number(id));
  if (task < 0) return [];
  return [{ group: 'Tasks', rank: words.length > 1 ? 4 : 3, ...taskAnswer(model, task, `Task ${id}`) }];
}

export function taskAnswer(model: Model, task: number, title: string): Omit<Answer, 'group' | 'rank'> {
  const { tasks } = model.report;
  const stage = model.stageOfTask(task)!;
  return {
    title,
    note: list(
      `stage ${stageLabel(stage)}, index ${tasks.index[task]}`,
      model.executorName(tasks.executor[task]!),
      duration((tasks.end[task]! - tasks.begin[task]!) * 1e6),
    ),
    view: stageView(stage, { task: tasks.taskId[task]! }),
  };
}
