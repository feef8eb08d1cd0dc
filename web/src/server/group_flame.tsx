// SPDX-License-Identifier: Apache-2.0
import { sideBySide } from '../analysis/side_by_side.ts';
import { withDefaults } from '../data/decode.ts';
import { amount } from '../state/format.ts';
import { api, ApiError, getData, part } from './api.ts';
import { Problem } from './chrome.tsx';
import { events, FlamePanel } from './flame_panel.tsx';
import type { GroupProperties } from './group_properties.ts';
import { usePolled } from './poll.ts';
import { setQuery } from './query.ts';
import { rangeText } from './times.ts';
import { useReportStore } from './use_store.ts';

/** The flame graph over all applications of a group. */
export function GroupFlame({ group, from, to, event }: GroupProperties) {
  const url = api(`/groups/${part(group)}/report`, { event, from, to });
  const { value, error } = usePolled(url, async (signal) => withDefaults(sideBySide([await getData(url, signal)], [group])));
  const store = useReportStore(value, () => {});
  const none = error instanceof ApiError && error.status === 404;
  const choose = (name: string) => setQuery({ event: name === 'cpu' ? null : name });
  const label = events.find(({ name }) => name === event)?.label ?? event;
  if (!store || none) {
    return (
      <main class="list-page">
        {!none && <Problem error={error} />}
        {none ? (
          <p class="empty" role="status">
            No samples of “{label}” in {group}, {rangeText({ from, to }, Date.now())}. Choose another time or event:{' '}
            {events
              .filter(({ name }) => name !== event)
              .map(({ name, label: other }) => (
                <button key={name} class="link spaced" onClick={() => choose(name)}>
                  {other}
                </button>
              ))}
          </p>
        ) : (
          !error && <p class="loading">Adding up the samples of all applications…</p>
        )}
      </main>
    );
  }
  const unit = store.event.value?.unit ?? 'count';
  return (
    <main>
      <Problem error={error} />
      <FlamePanel store={store} event={event} choices={events} choose={choose}>
        <span class="quiet">
          {rangeText({ from, to }, Date.now())}
          {!value && ' · loading…'}
        </span>
        <span class="visually-hidden" role="status">
          {value ? `${label}: ${amount(store.weights.value[0]?.total ?? 0, unit)}` : 'loading'}
        </span>
      </FlamePanel>
    </main>
  );
}
