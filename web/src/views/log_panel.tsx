// SPDX-License-Identifier: Apache-2.0
// The log next to the timeline: the lines around the selected time.
import { clock } from '../state/format.ts';
import { useStore } from '../state/store.ts';
import { LogList } from './log_list.tsx';

export function LogPanel() {
  const store = useStore();
  const { logs } = store.model.report;
  const { moment } = store.view.value;
  if (!logs) return null;
  return (
    <aside class="log-panel" aria-label="Log beside the timeline">
      <p class="quiet log-hint">
        {moment === null ? (
          'Click a time in the timeline to see the lines around it.'
        ) : (
          <>
            around {clock(moment)}{' '}
            <button class="link" onClick={() => store.update({ moment: null })}>
              clear
            </button>
          </>
        )}
      </p>
      <LogList logs={logs} label="Log lines around the selected time" everyTime />
    </aside>
  );
}
