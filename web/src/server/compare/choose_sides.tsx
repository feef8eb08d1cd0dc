// SPDX-License-Identifier: Apache-2.0
import { setQuery } from '../query.ts';

/** Asks for the two applications, where the address has none. */
export function ChooseSides({ a, b }: { a: string; b: string }) {
  return (
    <main class="list-page">
      <form
        class="choose"
        onSubmit={(event) => {
          event.preventDefault();
          const data = new FormData(event.currentTarget);
          setQuery({ a: String(data.get('a')).trim(), b: String(data.get('b')).trim() }, true);
        }}>
        <h2>Compare two applications</h2>
        <p class="quiet">
          Select two in the list of <a href="/">applications</a>, or enter their IDs. To compare two time ranges of a group, open the{' '}
          <a href="/groups">group</a> and choose a time.
        </p>
        <label>
          Run
          <input name="a" required defaultValue={a} placeholder="app-20261122152919-0000" />
        </label>
        <label>
          Baseline
          <input name="b" required defaultValue={b} placeholder="app-20261121152919-0000" />
        </label>
        <button type="submit">Compare</button>
      </form>
    </main>
  );
}
