// SPDX-License-Identifier: Apache-2.0
// Selections as text.
import type { Selection } from '../data/contract.ts';
import { type Model, stageLabel } from '../data/model.ts';
import { cutMiddle } from '../charts/cut_middle.ts';
import { samplePhases } from '../analysis/sample_phases.ts';
import { clock, clocks } from '../state/format.ts';

export type Dimension = 'job' | 'tag' | 'stage' | 'task' | 'sql' | 'phase' | 'executor' | 'thread' | 'time';

export function describeTask(task: NonNullable<Selection['task']>): string {
  if (task === 'slowest5') return 'slowest 5%';
  if (task === 'median') return 'around the median';
  if (Array.isArray(task)) return task.length > 4 ? `${task.length} tasks` : task.join(', ');
  return String(task);
}

const executorText = (executor: string) => executor.replace('!', 'all but ').replace('@', 'those of ');

interface Described {
  dimension: Dimension;
  text: string;
}

/** The members that are set, event and search aside, as dimension and value. */
export function describe(selection: Selection): Described[] {
  const parts: Described[] = [];
  const { job, tag, stage, stageAttempt, task, sql, node, phase, executor, thread, from, to } = selection;
  if (job !== undefined) parts.push({ dimension: 'job', text: String(job) });
  if (tag !== undefined) parts.push({ dimension: 'tag', text: tag });
  if (sql !== undefined) parts.push({ dimension: 'sql', text: node === undefined ? String(sql) : `${sql} node ${node}` });
  if (stage !== undefined) {
    parts.push({ dimension: 'stage', text: stageAttempt ? `${stage}.${stageAttempt}` : String(stage) });
  }
  if (task !== undefined) parts.push({ dimension: 'task', text: describeTask(task) });
  if (phase !== undefined) parts.push({ dimension: 'phase', text: samplePhases[phase]?.label ?? phase });
  if (executor !== undefined) {
    parts.push({ dimension: 'executor', text: executorText(executor) });
  }
  if (thread !== undefined) parts.push({ dimension: 'thread', text: String(thread) });
  if (from !== undefined || to !== undefined) {
    parts.push({ dimension: 'time', text: to === undefined ? `${clock(from ?? 0)} – end` : clocks(from ?? 0, to) });
  }
  return parts;
}

function phrase({ dimension, text }: Described): string {
  if (dimension === 'sql') return `SQL query ${text}`;
  if (dimension === 'executor' && text === 'driver') return 'the driver';
  if (dimension !== 'task') return `${dimension} ${text}`;
  if (text === 'slowest 5%') return 'slowest 5% of tasks';
  if (text === 'around the median') return 'tasks around the median';
  if (text.endsWith('tasks')) return text;
  return `${text.includes(',') ? 'tasks' : 'task'} ${text}`;
}

export const inWords = (parts: Described[]) => (parts.length === 0 ? 'everything' : parts.map(phrase).join(', '));

/** A complete side on one line. */
export const sentence = (selection: Selection) => inWords(describe(selection));

export function without(dimension: Dimension): Partial<Selection> {
  switch (dimension) {
    case 'time':
      return { from: undefined, to: undefined };
    case 'stage':
      return { stage: undefined, stageAttempt: undefined };
    case 'sql':
      return { sql: undefined, node: undefined };
    default:
      return { [dimension]: undefined };
  }
}

/** Values of a dimension for menus: value as text and label. */
export function choices(model: Model, dimension: Dimension): { value: string; label: string }[] {
  const { report } = model;
  const clip = (text: string) => cutMiddle(text, 60);
  switch (dimension) {
    case 'job':
      return report.jobs.map((job) => ({ value: String(job.jobId), label: clip(`${job.jobId} ${job.description || job.name}`) }));
    case 'tag':
      return [...new Set(report.jobs.flatMap(({ jobTags }) => jobTags))].sort().map((tag) => ({ value: tag, label: clip(tag) }));
    case 'sql':
      return report.sql.map((sql) => ({ value: String(sql.id), label: clip(`${sql.id} ${sql.description}`) }));
    case 'stage':
      return report.stages.map((stage) => ({
        value: `${stage.stageId}.${stage.attemptId}`,
        label: clip(`${stageLabel(stage)} ${stage.name}`),
      }));
    case 'task':
      return [
        { value: 'slowest5', label: 'slowest 5%' },
        { value: 'median', label: 'around the median' },
      ];
    case 'executor': {
      const hosts = new Set(report.executors.map(({ host }) => `@${host}`));
      const values = [...report.executors.map(({ id }) => id), ...(hosts.size > 1 ? hosts : [])];
      return values.map((value) => ({ value, label: executorText(value) }));
    }
    case 'phase':
      return report.events.length > 0 ? Object.entries(samplePhases).map(([value, { label }]) => ({ value, label })) : [];
    case 'thread':
      return report.threads.map((thread) => ({ value: String(thread.tid), label: clip(`${thread.tid} ${thread.name}`) }));
    case 'time':
      return [];
  }
}

export function withChoice(dimension: Dimension, value: string): Partial<Selection> {
  switch (dimension) {
    case 'stage': {
      const [stage, stageAttempt] = value.split('.').map(Number);
      return { stage, stageAttempt };
    }
    case 'task':
      return { task: value === 'slowest5' || value === 'median' ? value : Number(value) };
    case 'phase':
      return { phase: value, event: samplePhases[value]?.event };
    case 'tag':
    case 'executor':
      return { [dimension]: value };
    case 'sql':
      return { sql: Number(value), node: undefined };
    default:
      return { [dimension]: Number(value) };
  }
}
