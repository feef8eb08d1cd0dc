// SPDX-License-Identifier: Apache-2.0
// Trend over time: a measure of a job over the runs of a suite, and where its level changed.
import { useMemo } from 'preact/hooks';
import { api, getJson } from './api.ts';
import { changePoints, leastRuns, undecidedStep } from './compare/change_points.ts';
import { Problem, TopBar } from './chrome.tsx';
import { linkTo } from './links.ts';
import { leastVisibleChange } from './clear_step.ts';
import { usePolled } from './poll.ts';
import { query, setQuery } from './query.ts';
import { releasesOf } from './releases.ts';
import { RunChart } from './run_chart.tsx';
import { measureText } from './run_page.tsx';
import { jobLabel, measuresOf, median, whatChanged, type Run } from './runs.ts';
import { exactMoment, moment } from './times.ts';

interface Place {
  run: Run;
  values: number[];
  middle: number;
}

export function LongevityPage() {
  const { value, error, updated } = usePolled('longevity', (signal) => getJson<{ runs: Run[] }>(api('/runs', { results: 'true' }), signal));
  const runs = useMemo(
    () => (value?.runs ?? []).filter(({ results }) => (results?.jobs ?? []).length > 0).sort((a, b) => a.startTime - b.startTime),
    [value],
  );
  const parameters = query.value;
  const suites = [...new Set(runs.map(({ suiteName }) => suiteName))].sort();
  const suite = chosen(parameters.get('suite'), suites);
  const own = runs.filter(({ suiteName }) => suiteName === suite);
  const jobs = [...new Set(own.flatMap(({ results }) => results!.jobs!.map(jobLabel)))].sort();
  const job = chosen(parameters.get('job'), jobs);
  const jobOf = (run: Run) => run.results!.jobs!.find((other) => jobLabel(other) === job);
  const measures = [...new Set(own.flatMap((run) => [...(jobOf(run) ? measuresOf(jobOf(run)!).keys() : [])]))].sort();
  const measure = chosen(parameters.get('measure') ?? 'seconds', measures);
  const places = own.flatMap((run): Place[] => {
    const values = jobOf(run) && measuresOf(jobOf(run)!).get(measure);
    return values ? [{ run, values, middle: median(values) }] : [];
  });
  const changes = useMemo(() => changePoints(places.map(({ middle }) => middle)), [places.map(({ middle }) => middle).join()]);
  const choice = (label: string, name: string, options: string[], current: string) => (
    <label>
      {label}{' '}
      <select value={current} onChange={(event) => setQuery({ [name]: event.currentTarget.value })}>
        {options.map((option) => (
          <option key={option}>{option}</option>
        ))}
      </select>
    </label>
  );
  return (
    <>
      <TopBar
        title="Trend over time"
        facts={places.length > 0 ? `${places.length} run${places.length === 1 ? '' : 's'}` : ''}
        keys={[['?', 'this help']]}
      />
      <main class="run-page">
        <Problem error={error} updated={updated} />
        {!value && !error && <p class="loading">Loading…</p>}
        {value && runs.length === 0 && (
          <p class="empty">
            No run has results yet. Run a suite with <code class="code">sparkprof suite run suite.yaml --server {location.origin}</code>
          </p>
        )}
        {runs.length > 0 && (
          <p class="list-bar">
            {choice('Suite', 'suite', suites, suite)}
            {choice('Job', 'job', jobs, job)}
            {choice('Measure', 'measure', measures, measure)}
          </p>
        )}
        {places.length > 0 && <Chart places={places} changes={changes} measure={measure} />}
        {places.length > 0 && <Changes places={places} changes={changes} measure={measure} job={job.split(',')[0]!} />}
        {places.length > 0 && <Table places={places} measure={measure} />}
      </main>
    </>
  );
}

const chosen = (wanted: string | null, options: string[]) => (wanted !== null && options.includes(wanted) ? wanted : (options[0] ?? ''));

function Chart({ places, changes, measure }: { places: Place[]; changes: number[]; measure: string }) {
  const line = (label: string, pick: (place: Place) => number) => ({
    label,
    points: places.map((place, i): [number, number] => [i, pick(place)]),
  });
  return (
    <RunChart
      label={`${measure} over runs`}
      from={-0.5}
      to={places.length - 0.5}
      format={(value) => measureText(measure, value)}
      lines={[
        { ...line('median of a run', ({ middle }) => middle), dots: true },
        line('highest repeat', ({ values }) => Math.max(...values)),
      ]}
      marks={[
        ...changes.map((at) => ({ at: at - 0.5, text: `change at run ${places[at]!.run.id}` })),
        ...releasesOf(places.map(({ run }) => ({ version: run.version }))).map(({ at, text, now }) => ({
          // beside a change at the same run
          at: at - 0.4,
          text,
          label: now,
        })),
      ]}
      ends={[places[0]!, places.at(-1)!].map(({ run }) => `run ${run.id}, ${moment(run.startTime, Date.now())}`)}
    />
  );
}

const percent = (change: number) => `${change > 0 ? '+' : ''}${(change * 100).toFixed(1)}%`;
const runCount = (count: number) => `${count} run${count === 1 ? '' : 's'}`;

/** Medians of the runs between two changes. */
function levelOf(places: Place[], from: number, to: number): number {
  return median(places.slice(from, to).map(({ middle }) => middle));
}

function Changes({ places, changes, measure, job }: { places: Place[]; changes: number[]; measure: string; job: string }) {
  const values = places.map(({ middle }) => middle);
  if (places.length < leastRuns)
    return (
      <p class="quiet note">
        Finding changes requires {leastRuns} runs: {runCount(leastRuns - places.length)} more.
      </p>
    );
  const undecided = undecidedStep(values, changes);
  const question = undecided && (
    <p class="note">
      From <a href={linkTo.run(places[undecided.at]!.run.id)}>run {places[undecided.at]!.run.id}</a> on, the level may have changed by{' '}
      {percent(undecided.ratio - 1)}. {places.length} runs cannot decide it: {runCount(undecided.moreRuns)} more at this level would.
    </p>
  );
  if (changes.length === 0) {
    return (
      question || (
        <p class="note">
          No change found. In {places.length} runs with this noise, changes below {(leastVisibleChange(values) * 100).toFixed(0)}% are not
          visible.
        </p>
      )
    );
  }
  return (
    <section aria-label="Changes">
      <h2>Changes</h2>
      <table class="plain">
        <thead>
          <tr>
            <th class="text">From run</th>
            <th class="text">Start</th>
            <th>Before</th>
            <th>After</th>
            <th>Change</th>
            <th class="text">What else changed</th>
          </tr>
        </thead>
        <tbody>
          {changes.map((at, i) => {
            const { run } = places[at]!;
            const before = levelOf(places, changes[i - 1] ?? 0, at);
            const after = levelOf(places, at, changes[i + 1] ?? places.length);
            const what = whatChanged(places[at - 1]!.run, run, job);
            return (
              <tr key={at}>
                <td class="text">
                  <a href={linkTo.run(run.id)}>{run.id}</a>
                </td>
                <td class="text" title={exactMoment(run.startTime)}>
                  {moment(run.startTime, Date.now())}
                </td>
                <td>{measureText(measure, before)}</td>
                <td>{measureText(measure, after)}</td>
                <td class={`ratio ${after > before ? 'more' : 'less'}`}>{before > 0 ? percent(after / before - 1) : '–'}</td>
                <td class="text">{what.join(', ') || <span class="quiet">no recorded change</span>}</td>
              </tr>
            );
          })}
        </tbody>
      </table>
      {question}
    </section>
  );
}

function Table({ places, measure }: { places: Place[]; measure: string }) {
  return (
    <section aria-label="Runs">
      <h2>Runs</h2>
      <table class="plain">
        <thead>
          <tr>
            <th class="text">Run</th>
            <th class="text">Start</th>
            <th class="text">Version</th>
            <th>Repeats</th>
            <th>Median</th>
            <th>Lowest</th>
            <th>Highest</th>
          </tr>
        </thead>
        <tbody>
          {[...places].reverse().map(({ run, values, middle }) => (
            <tr key={run.id}>
              <td class="text">
                <a href={linkTo.run(run.id)}>{run.id}</a>
              </td>
              <td class="text" title={exactMoment(run.startTime)}>
                {moment(run.startTime, Date.now())}
              </td>
              <td class="text">{run.version || '–'}</td>
              <td>{values.length}</td>
              <td>{measureText(measure, middle)}</td>
              <td>{measureText(measure, Math.min(...values))}</td>
              <td>{measureText(measure, Math.max(...values))}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}
