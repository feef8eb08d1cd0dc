// SPDX-License-Identifier: Apache-2.0
// Answers to questions that name nothing: the slowest task, what to change first, what failed.
import { eventOfUserTime, userTime } from '../../analysis/flame/user_functions.ts';
import { nameWithLine } from '../../analysis/flame/function_name.ts';
import { wallOfStages } from '../../analysis/time/wall_time.ts';
import { lasted, type Model, stageLabel } from '../../data/model.ts';
import { amount, duration, share } from '../../state/format.ts';
import type { Store } from '../../state/store.ts';
import { applyPreset, explainSlowest, presets } from '../compare.ts';
import type { Answer, Entries } from './answer.ts';
import { findingView, functionView, stageView, taskAnswer, timeText } from './report_entries.ts';

interface Superlative extends Omit<Answer, 'group' | 'rank'> {
  /** in lower case: what it is found by. Names in its title belong to the entries of their kinds. */
  words: string;
  tellsWhy?: boolean;
}

/** Place of the largest value above 0; -1 for none. */
function placeOfLargest(values: ArrayLike<number | undefined>): number {
  let best = -1;
  for (let place = 0; place < values.length; place++) {
    if ((values[place] ?? 0) > (best < 0 ? 0 : values[best]!)) best = place;
  }
  return best;
}

function slowestTask({ report: { tasks } }: Model): number {
  let slowest = -1;
  let most = 0;
  for (let task = 0; task < tasks.taskId.length; task++) {
    const lasting = tasks.end[task]! - tasks.begin[task]!;
    if (lasting > most) [slowest, most] = [task, lasting];
  }
  return slowest;
}

function ofTasks(store: Store): Superlative[] {
  const { model } = store;
  const task = slowestTask(model);
  if (task < 0) return [];
  const row = model.report.tasks.stage[task]!;
  const stage = stageLabel(model.report.stages[row]!);
  const found: Superlative[] = [
    { ...taskAnswer(model, task, `Slowest task: ${model.report.tasks.taskId[task]}`), words: 'slowest longest task straggler' },
  ];
  if (model.report.events.length > 0 && model.tasksOfStage[row]!.length > 1) {
    found.push({
      title: 'Why the slowest task is slow',
      note: `task ${model.report.tasks.taskId[task]} against the median tasks of stage ${stage}`,
      words: 'explain why compare slowest longest task straggler median',
      tellsWhy: true,
      act: () => explainSlowest(store, row),
    });
  }
  return found;
}

function slowestStage(model: Model): Superlative[] {
  const { stages } = model.report;
  const walls = wallOfStages(model);
  const slowest = placeOfLargest(walls);
  if (slowest < 0) return [];
  return [
    {
      title: `Slowest stage: ${stageLabel(stages[slowest]!)}`,
      note: `${share(walls[slowest]! / (model.duration * 1e6))} of the wall time · ${stages[slowest]!.name}`,
      words: 'slowest longest largest stage wall time',
      view: stageView(stages[slowest]!),
    },
  ];
}

/** "most spilled to disk", "largest input": the stage with most of each metric. */
function ofMetrics({ report: { stages, metrics } }: Model): Superlative[] {
  return metrics.flatMap(({ name, label, unit }) => {
    const most = placeOfLargest(stages.map(({ totals }) => totals[name]));
    if (most < 0) return [];
    return [
      {
        title: `Most of “${label}”: stage ${stageLabel(stages[most]!)}`,
        note: amount(stages[most]!.totals[name], unit),
        words: `most largest highest ${label.toLowerCase()} stage`,
        view: stageView(stages[most]!),
      },
    ];
  });
}

function ofQueries({ report: { sql } }: Model): Superlative[] {
  const slowest = placeOfLargest(sql.map(lasted));
  if (slowest < 0) return [];
  const { id, description } = sql[slowest]!;
  return [
    {
      title: `Slowest query: SQL ${id}`,
      note: `${duration(lasted(sql[slowest]!) * 1e6)} · ${description}`,
      words: 'slowest longest query sql',
      view: { tab: 'sql', selection: { sql: id }, versus: null },
    },
  ];
}

function ofFunctions(model: Model): Superlative[] {
  const event = eventOfUserTime(model);
  const first = event && userTime(model, event.id).functions[0];
  if (!first) return [];
  return [
    {
      title: `Most time in your code: ${nameWithLine(model, first.label)}`,
      note: timeText(first.weight, event),
      words: 'most time slowest hottest top largest function hot spot line code',
      view: functionView(model, model.functions.name[first.label]!, event.name),
    },
  ];
}

function ofFindings(store: Store): Superlative[] {
  const [first] = store.model.report.findings;
  if (!first) return [];
  return [
    {
      title: `What to change first: ${first.title}`,
      note: first.saving && `could save ${first.saving}`,
      words: 'what should change fix improve first top largest finding advice why slow faster job application',
      tellsWhy: true,
      view: findingView(store, first.id),
    },
  ];
}

function ofFailures({ report: { application, jobs, stages } }: Model): Superlative[] {
  const words = 'why failed fail failure error exception broken';
  const job = jobs.find(({ status }) => status === 'FAILED');
  const stage = stages.find(({ status }) => status === 'FAILED');
  const firstLine = (text: string) => text.trim().split('\n')[0]!;
  const found: Superlative[] = [];
  if (stage) {
    found.push({
      title: `Failed: stage ${stageLabel(stage)}`,
      note: firstLine(stage.failureReason) || stage.name,
      words,
      tellsWhy: true,
      view: stageView(stage),
    });
  }
  if (job) {
    found.push({
      title: `Failed: job ${job.jobId}`,
      note: firstLine(job.failureReason) || job.description || job.name,
      words,
      tellsWhy: true,
      view: { tab: 'stages', tasksOf: '', selection: { job: job.jobId }, versus: null },
    });
  }
  if (found.length === 0 && application.outcome === 'finished')
    found.push({
      title: 'Nothing failed',
      note: 'no job and no stage',
      words,
      tellsWhy: true,
      view: { tab: 'overview', selection: {}, versus: null },
    });
  return found;
}

const comparisons = (store: Store): Superlative[] =>
  store.model.report.events.length === 0
    ? []
    : presets
        .filter((preset) => preset.sides(store) !== null)
        .map((preset) => ({
          title: `Compare ${preset.label}`,
          note: '',
          words: `compare ${preset.label} against versus difference`.toLowerCase(),
          act: () => applyPreset(store, preset),
        }));

export function superlatives(store: Store): Entries {
  const { model } = store;
  const all = [
    ...ofFailures(model),
    ...ofFindings(store),
    ...ofTasks(store),
    ...slowestStage(model),
    ...ofQueries(model),
    ...ofFunctions(model),
    ...comparisons(store),
    ...ofMetrics(model),
  ];
  return {
    group: 'Answers',
    texts: all.map(({ words }) => words),
    weight: (place) => (all.length - place) / (2 * all.length),
    tellsWhy: (place) => !!all[place]!.tellsWhy,
    answer: (place) => {
      const { words: _words, tellsWhy: _tellsWhy, ...answer } = all[place]!;
      return answer;
    },
  };
}
