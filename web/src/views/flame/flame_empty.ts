// SPDX-License-Identifier: Apache-2.0
// Explains why there is no flame graph, with the fix.
import type { Store } from '../../state/store.ts';
import { shellWord } from '../../state/shell.ts';
import { describe } from '../describe.ts';

export function emptyFlameSentence(store: Store): string {
  const { report } = store.model;
  if (report.events.length === 0) {
    return (
      'This recording has no samples, only Spark’s events. To see where the time goes, profile the job: ' +
      'sparkprof run -- spark-submit …'
    );
  }
  const [first] = store.weights.value;
  if (store.weights.value.some((side) => side.total > 0)) return '';
  const label = store.event.value?.label ?? 'these';
  if (first!.idle > 0) {
    return `All ${label} samples in the selection are from idle threads. Enable “Idle threads” under View to see them.`;
  }
  const parts = describe(store.selection.value);
  if (parts.length > 0) {
    return (
      `No ${label} samples match ${parts.map((part) => `${part.dimension} ${part.text}`).join(', ')}. ` +
      'Remove a filter above. Very short tasks may have no samples.'
    );
  }
  if (store.model.report.application.foreign) return `This profile has no ${label} samples.`;
  return `This recording has no ${label} samples. Record them with: sparkprof run --event ${shellWord(store.event.value?.name ?? 'cpu')} -- spark-submit …`;
}

/** Common events that this recording lacks, as one hint; empty if none. */
export function missingEventsHint(store: Store): string {
  // a page that opens at one tab contains a selection: other events may have been recorded
  if (store.model.report.startTab || store.model.report.application.foreign) return '';
  const names = new Set(store.model.report.events.map((event) => event.name));
  const missing = ['cpu', 'wall', 'alloc', 'lock'].filter((name) => !names.has(name));
  if (missing.length === 0 || names.size === 0) return '';
  return `Not recorded: ${missing.join(', ')}. Record them with: sparkprof run --event ${shellWord([...names, ...missing].join(','))} -- spark-submit …`;
}
