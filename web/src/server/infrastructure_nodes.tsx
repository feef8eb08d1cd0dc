// SPDX-License-Identifier: Apache-2.0
// What all monitored hosts used over time, and which processes that were.
import { amount, count } from '../state/format.ts';
import { api, getJson, part } from './api.ts';
import { Problem } from './chrome.tsx';
import { linkTo } from './links.ts';
import { HeatMap } from './heat_map.tsx';
import { useKnownApplications } from './known_applications.ts';
import { spans, startOf, type Node, type NodeProcesses, type Nodes } from './nodes.ts';
import { usePolled } from './poll.ts';
import { query, setQuery } from './query.ts';
import { RangeSelect } from './range_select.tsx';
import { exactMoment, moment, rangeOf } from './times.ts';

const defaultRange = 3600e3;
const maps: {
  id: 'cpu' | 'memory' | 'disk' | 'network';
  label: string;
  note: string;
  whole?(node: Node): number;
  text(value: number): string;
}[] = [
  { id: 'cpu', label: 'CPU', note: 'busy cores, mean', whole: ({ cores }) => cores, text: (value) => `${value.toFixed(1)} cores` },
  { id: 'memory', label: 'Memory', note: 'in use', whole: ({ memoryBytes }) => memoryBytes, text: (value) => amount(value, 'bytes') },
  { id: 'disk', label: 'Disk', note: 'bytes read and written', text: (value) => amount(value, 'bytes') },
  { id: 'network', label: 'Network', note: 'bytes received and sent', text: (value) => amount(value, 'bytes') },
];

export function InfrastructureNodes() {
  const parameters = query.value;
  const asked = rangeOf(parameters, Date.now());
  const isFollowing = asked.to === undefined;
  // without a range the server's default, the last hour
  const key = `nodes ${asked.from ?? ''} ${asked.to ?? ''}`;
  const { value, error, updated } = usePolled<Nodes>(
    key,
    (signal) => getJson(api('/nodes', { from: asked.from, to: asked.to, spans }), signal),
    () => isFollowing,
  );
  const change = (range: { range: string | null; from: number | null; to: number | null }) =>
    setQuery(
      { ...range, ...(range.from !== null && range.to === null ? { to: range.from + defaultRange } : {}), node: null, span: null },
      true,
    );
  const nodes = value?.nodes ?? [];
  return (
    <>
      <p class="list-bar">
        <RangeSelect label="Time" otherwise="1h" change={change} />
      </p>
      <Problem error={error} updated={updated} />
      {!value && !error && <p class="loading">Loading…</p>}
      {value && nodes.length === 0 && value.omitted.length === 0 && (
        <p class="empty">
          No monitor recorded in this time. On each node, run <code class="code">sparkprof monitor --server {location.origin}</code>
        </p>
      )}
      {(value?.omitted ?? []).map(({ host, reason }) => (
        <p key={host} class="warn note">
          {host} is missing: {reason}.
        </p>
      ))}
      {value &&
        nodes.length > 0 &&
        maps.map(({ id, label, note, whole, text }) => (
          <HeatMap
            key={id}
            label={label}
            note={note}
            text={text}
            range={value}
            fixed={{ range: null, from: value.from, to: value.to }}
            rows={nodes.map((node) => ({ host: node.host, values: node[id], whole: whole?.(node) }))}
          />
        ))}
      {value && nodes.length > 0 && <Users all={value} />}
    </>
  );
}

function Users({ all }: { all: Nodes }) {
  const parameters = query.value;
  const node = parameters.get('node');
  const span = parameters.get('span');
  if (node === null || span === null) return <p class="quiet note">Select a cell to see which processes used the node.</p>;
  return <Processes node={node} from={startOf(all, Number(span), all.spans)} to={startOf(all, Number(span) + 1, all.spans)} />;
}

function Processes({ node, from, to }: { node: string; from: number; to: number }) {
  const sort = query.value.get('by') === 'memory' ? 'memory' : 'cpu';
  const { value, error } = usePolled<NodeProcesses>(`${node} ${from} ${to} ${sort}`, (signal) =>
    getJson(api(`/nodes/${part(node)}/processes`, { from, to, sort, limit: 20 }), signal),
  );
  const known = useKnownApplications((value?.processes ?? []).map(({ application }) => application));
  const now = Date.now();
  const by = (id: string, label: string) => (
    <th aria-sort={sort === id ? 'descending' : 'none'}>
      <button class="link" onClick={() => setQuery({ by: id === 'cpu' ? null : id })}>
        {label}
      </button>
    </th>
  );
  return (
    <section aria-label="Processes of the cell">
      <h2 title={`${exactMoment(from)} – ${exactMoment(to)}`}>
        {node}, {moment(from, now)} – {moment(to, now)}
      </h2>
      <Problem error={error} />
      {!value && !error && <p class="loading">Loading…</p>}
      {value && value.processes.length === 0 && <p class="empty">No process was recorded in this span.</p>}
      {value && value.processes.length > 0 && (
        <div class="scrolls">
          <table class="plain processes">
            <thead>
              <tr>
                <th class="text">Process</th>
                <th class="text">User</th>
                <th class="text">Type</th>
                <th class="text">Application</th>
                <th class="text">Executor</th>
                {by('cpu', 'Cores, mean')}
                {by('memory', 'Resident, max')}
                <th>Read</th>
                <th>Written</th>
                <th class="text">Command</th>
              </tr>
            </thead>
            <tbody>
              {value.processes.map((process) => (
                <tr key={`${process.pid} ${process.startTime}`}>
                  <td class="text" title={`${exactMoment(process.startTime)} – ${exactMoment(process.endTime)}`}>
                    {process.pid}
                  </td>
                  <td class="text">{process.user}</td>
                  <td class="text">{process.type}</td>
                  <td class="text">
                    {!known.has(process.application) ? (
                      process.application
                    ) : (
                      <>
                        <a href={linkTo.application(process.application)}>{process.application}</a>{' '}
                        <a href={linkTo.flameBetween(process.application, from, to)}>Flame graph</a>
                      </>
                    )}
                  </td>
                  <td class="text">{process.executor}</td>
                  <td>{process.cores.toFixed(2)}</td>
                  <td>{amount(process.maxRssBytes, 'bytes')}</td>
                  <td>{amount(process.readBytes, 'bytes')}</td>
                  <td>{amount(process.writeBytes, 'bytes')}</td>
                  <td class="text command-cell" title={process.command}>
                    {process.command || process.name}
                  </td>
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      )}
      {value && value.total > value.processes.length && (
        <p class="quiet note">
          The first {value.processes.length} of {count(value.total)} processes.
        </p>
      )}
    </section>
  );
}
