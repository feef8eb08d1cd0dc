// SPDX-License-Identifier: Apache-2.0
// A longer event log: copies of the jobs of another one, each with IDs of its own, one after the other.

type Json = Record<string, unknown>;

const once = /LogStart|ResourceProfileAdded|BlockManagerAdded|ExecutorAdded|EnvironmentUpdate|ApplicationStart$/;
const times = new Set(['Timestamp', 'Launch Time', 'Finish Time', 'Submission Time', 'Completion Time', 'time', 'Getting Result Time']);
const ids: Record<string, string> = {
  'Stage ID': 'stage',
  'Stage IDs': 'stage',
  'Task ID': 'task',
  'Job ID': 'job',
  'RDD ID': 'rdd',
  executionId: 'query',
  'spark.sql.execution.id': 'query',
  accumulatorId: 'accumulator',
};

/** The kind of ID in a member, "time", or undefined. */
function kindOf(name: string, parent: string): string | undefined {
  if (times.has(name)) return 'time';
  if (name === 'ID' && parent === 'Accumulables') return 'accumulator';
  if (name === 'Parent IDs') return parent === 'RDD Info' ? 'rdd' : 'stage';
  return ids[name];
}

/** A copy with other IDs and times. */
function changed(value: unknown, change: (kind: string, old: number) => number, name = '', parent = ''): unknown {
  const kind = kindOf(name, parent);
  if (Array.isArray(value)) {
    if (name === 'accumUpdates') return value.map(([id, update]: [number, unknown]) => [change('accumulator', id), update]);
    return value.map((one: unknown) => (typeof one === 'number' && kind ? change(kind, one) : changed(one, change, '', name)));
  }
  if (value !== null && typeof value === 'object') {
    return Object.fromEntries(Object.entries(value).map(([key, member]) => [key, changed(member, change, key, name || parent)]));
  }
  if (!kind) return value;
  if (typeof value === 'number') return kind === 'time' && value <= 0 ? value : change(kind, value);
  return typeof value === 'string' && /^\d+$/.test(value) ? String(change(kind, Number(value))) : value;
}

export function repeated(log: string, copies: number): string {
  const events = log
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line) as Json);
  const isOf = (event: Json, names: RegExp) => names.test(String(event.Event));
  const body = events.filter((event) => !isOf(event, once) && !isOf(event, /ApplicationEnd$/));
  const next: Record<string, number> = {};
  let [first, last] = [Infinity, 0];
  for (const event of events) {
    changed(event, (kind, old) => {
      if (kind === 'time') [first, last] = [Math.min(first, old), Math.max(last, old)];
      else next[kind] = Math.max(next[kind] ?? 0, old + 1);
      return old;
    });
  }
  const length = last - first;
  const all = events.filter((event) => isOf(event, once));
  for (let copy = 0; copy < copies; copy++)
    for (const event of body.filter((one) => copy === copies - 1 || !isOf(one, /ExecutorRemoved$/)))
      all.push(changed(event, (kind, old) => old + copy * (kind === 'time' ? length : next[kind]!)) as Json);
  all.push({ Event: 'SparkListenerApplicationEnd', Timestamp: first + copies * length });
  return all.map((event) => `${JSON.stringify(event)}\n`).join('');
}
