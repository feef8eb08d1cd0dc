// SPDX-License-Identifier: Apache-2.0
// Infrastructure: what nodes used over time and which processes that were: of all monitored nodes, or of one run of a suite.
import { api, getJson } from './api.ts';
import { Problem, TopBar } from './chrome.tsx';
import { linkTo } from './links.ts';
import { InfrastructureNodes } from './infrastructure_nodes.tsx';
import { InfrastructureRun } from './infrastructure_run.tsx';
import { usePolled } from './poll.ts';
import { query, setQuery } from './query.ts';
import type { Run } from './runs.ts';

const allNodes = '';

export function InfrastructurePage() {
  const list = usePolled('runs', (signal) => getJson<{ runs: Run[] }>(api('/runs'), signal));
  const runs = list.value?.runs ?? [];
  const id = query.value.get('run') ?? allNodes;
  const choose = (run: string) => setQuery({ run, range: null, from: null, to: null, node: null, span: null, by: null }, true);
  return (
    <>
      <TopBar
        title="Infrastructure"
        keys={[
          ['Tab', 'next cell'],
          ['Enter', 'who used it'],
          ['?', 'this help'],
        ]}
      />
      <main class="run-page">
        <Problem error={list.error} updated={list.updated} />
        <p class="list-bar">
          <label>
            Show{' '}
            <select value={id} onChange={(event) => choose(event.currentTarget.value)}>
              <option value={allNodes}>all monitored nodes</option>
              {runs.map((run) => (
                <option key={run.id} value={String(run.id)}>
                  run {run.id} · {run.suiteName}
                </option>
              ))}
            </select>
          </label>
          {id && <a href={linkTo.run(id)}>Open the run</a>}
        </p>
        {id === allNodes ? <InfrastructureNodes /> : <InfrastructureRun id={id} />}
      </main>
    </>
  );
}
