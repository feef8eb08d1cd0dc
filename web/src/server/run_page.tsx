// SPDX-License-Identifier: Apache-2.0
// A run: results of its jobs, maxima by type of process, the tree of processes over time, memory of the largest, the log.
import { Fragment } from 'preact';
import { useMemo } from 'preact/hooks';
import { amount, count } from '../state/format.ts';
import { api, getJson } from './api.ts';
import { Missing, Problem, TopBar } from './chrome.tsx';
import { linkTo } from './links.ts';
import { Delta } from './compare/delta.tsx';
import { useKnownApplications } from './known_applications.ts';
import { usePolled } from './poll.ts';
import { RunChart } from './run_chart.tsx';
import {
  jobLabel,
  languageOf,
  languages,
  livesOf,
  measuresOf,
  median,
  processMeasures,
  typesOf,
  unitOf,
  type Life,
  type LogRow,
  type ProcessRow,
  type Rows,
  type Run,
} from './runs.ts';
import { clockOf, exactMoment } from './times.ts';

const shownProcesses = 300;
const chartedProcesses = 6;

export function measureText(measure: string, value: number | undefined): string {
  if (value === undefined) return '–';
  const unit = unitOf(measure);
  return unit === 'seconds' ? amount(value * 1e9, 'ns') : unit === 'percent' ? `${value.toFixed(1)}%` : amount(value, unit);
}

export function RunPage({ id }: { id: string }) {
  const run = usePolled(
    `run ${id}`,
    (signal) => getJson<Run>(api(`/runs/${encodeURIComponent(id)}`), signal),
    ({ endTime }) => endTime === null,
  );
  const log = usePolled(
    `log ${id}`,
    (signal) => getJson<Rows<LogRow>>(api(`/runs/${encodeURIComponent(id)}/log`), signal),
    () => run.value?.endTime === null,
  );
  const processes = usePolled(`processes ${id}`, (signal) =>
    getJson<Rows<ProcessRow>>(api(`/runs/${encodeURIComponent(id)}/processes`), signal),
  );
  const lives = useMemo(() => livesOf(processes.value?.rows ?? []), [processes.value]);
  const facts = run.value
    ? [run.value.overallStatus, run.value.version && `version ${run.value.version}`, run.value.user].filter(Boolean).join(' · ')
    : '';
  return (
    <>
      <TopBar title={run.value?.suiteName ? `${run.value.suiteName}, run ${id}` : `Run ${id}`} facts={facts} keys={[['?', 'this help']]} />
      {run.error && !run.value ? (
        <Missing error={run.error}>
          Go to the list of <a href={linkTo.runs}>results</a>.
        </Missing>
      ) : (
        <main class="run-page">
          <Problem error={run.error ?? processes.error ?? log.error} updated={run.updated} />
          {!run.value && !run.error && <p class="loading">Loading…</p>}
          {run.value && <Results run={run.value} />}
          {processes.value && lives.length === 0 && <p class="empty">This run has no readings of processes.</p>}
          {lives.length > 0 && <Types lives={lives} />}
          {lives.length > 0 && <Memory lives={lives} log={log.value?.rows ?? []} />}
          {lives.length > 0 && <Tree lives={lives} />}
          {processes.value && processes.value.total > processes.value.rows.length && (
            <p class="quiet note">
              The first {count(processes.value.rows.length)} of {count(processes.value.total)} readings; the CSV has all.
            </p>
          )}
          <Log rows={log.value?.rows ?? []} />
          <p class="note">
            Download: <a href={api(`/runs/${id}/processes`, { format: 'csv' })}>processes</a> ·{' '}
            <a href={api(`/runs/${id}/log`, { format: 'csv' })}>log</a> (CSV) ·{' '}
            <a href={api(`/runs/${id}/processes`, { format: 'parquet' })}>processes (Parquet)</a>
          </p>
        </main>
      )}
    </>
  );
}

function Results({ run }: { run: Run }) {
  const jobs = run.results?.jobs ?? [];
  const { suiteName: suite } = run;
  const others = usePolled(`runs of ${suite}`, (signal) => getJson<{ runs: Run[] }>(api('/runs', { suite, results: 'true' }), signal));
  const earlier = (others.value?.runs ?? [])
    .filter(({ startTime, results }) => startTime < run.startTime && results)
    .sort((a, b) => b.startTime - a.startTime);
  if (jobs.length === 0) return <p class="empty">This run has no results{run.endTime === null ? ' yet' : ''}.</p>;
  return (
    <section aria-label="Jobs">
      <h2>Jobs</h2>
      <table class="plain">
        <thead>
          <tr>
            <th class="text">Job</th>
            <th>Repeats</th>
            <th>Failed</th>
            <th>Time</th>
            <th>CPU time</th>
            <th>Memory</th>
          </tr>
        </thead>
        <tbody>
          {jobs.map((job) => {
            const last = earlier
              .flatMap(({ results }) => results!.jobs ?? [])
              .find((other) => jobLabel(other) === jobLabel(job) && measuresOf(other).size > 0);
            const middle = (name: string) => {
              const [now, before] = [job, last].map((one) => {
                const values = one && measuresOf(one).get(name);
                return values && median(values);
              });
              return (
                <>
                  {measureText(name, now)} <Delta now={now ?? null} before={before} text={measureText(name, before)} />
                </>
              );
            };
            const failed = job.repeats.filter(({ exitCode }) => exitCode !== 0).length;
            return (
              <tr key={jobLabel(job)}>
                <td class="text">
                  <a class="row-link" href={linkTo.longevity(run.suiteName, jobLabel(job))}>
                    {jobLabel(job)}
                  </a>
                </td>
                <td>{job.repeats.length}</td>
                <td class={failed > 0 ? 'status failed' : ''}>{failed}</td>
                <td>{middle('seconds')}</td>
                <td>{middle('cpuSeconds')}</td>
                <td>{middle('maxRssBytes')}</td>
              </tr>
            );
          })}
        </tbody>
      </table>
      <p class="quiet note">
        Medians of the successful repeats, and their change from the run before.
        {(run.results?.growth ?? [])
          .filter(({ measure }) => measure === 'seconds')
          .map(
            (growth) => ` ${growth.job}: time grows with size to the power of ${growth.exponent.toFixed(2)} ± ${growth.error.toFixed(2)}.`,
          )}
      </p>
    </section>
  );
}

function Types({ lives }: { lives: Life[] }) {
  const types = useMemo(() => typesOf(lives), [lives]);
  return (
    <section aria-label="Types of processes">
      <h2>Types of processes</h2>
      <div class="scrolls">
        <table class="plain">
          <thead>
            <tr>
              <th class="text">Type</th>
              <th>Processes</th>
              {processMeasures.flatMap(({ id, label }) => [<th key={id}>{label}, max</th>, <th key={`${id} mean`}>mean</th>])}
            </tr>
          </thead>
          <tbody>
            {types.map(({ type, processes, most, mean }) => (
              <tr key={type}>
                <td class="text">{type || '(none)'}</td>
                <td>{processes}</td>
                {processMeasures.flatMap(({ id }) => [
                  <td key={id}>{measureText(id, most[id])}</td>,
                  <td key={`${id} mean`}>{measureText(id, mean[id])}</td>,
                ])}
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </section>
  );
}

const rangeOf = (lives: Life[]) =>
  lives.reduce((range, { start, end }) => ({ from: Math.min(range.from, start), to: Math.max(range.to, end) }), { from: Infinity, to: 0 });
const nameOf = ({ type, pid, monitor }: Life) => `${type || 'process'} ${pid} on ${monitor}`;

function Memory({ lives, log }: { lives: Life[]; log: LogRow[] }) {
  const charts = useMemo(
    () =>
      languages
        .map((language) => ({
          language,
          lines: lives
            .filter((life) => languageOf(life) === language)
            .sort((a, b) => (b.most.rssBytes ?? 0) - (a.most.rssBytes ?? 0))
            .slice(0, chartedProcesses)
            .map((life) => ({
              label: nameOf(life),
              points: life.readings.map(({ timeStamp = 0, rssBytes = 0 }): [number, number] => [timeStamp, rssBytes]),
            })),
        }))
        .filter(({ lines }) => lines.length > 0),
    [lives],
  );
  const { from, to } = rangeOf(lives);
  const marks = log
    .filter(({ msgTime = 0 }) => msgTime >= from && msgTime <= to)
    .map(({ msgTime = 0, message = '' }) => ({ at: msgTime, text: `${clockOf(msgTime)} ${message}` }));
  return (
    <section aria-label="Memory over time">
      {charts.map(({ language, lines }) => (
        <Fragment key={language}>
          <h2>Resident memory of the largest {language} processes</h2>
          <RunChart
            label={`Resident memory of ${language} over time`}
            lines={lines}
            from={from}
            to={to}
            marks={marks}
            format={(value) => amount(value, 'bytes')}
          />
        </Fragment>
      ))}
      <p class="quiet note">
        {clockOf(from)}–{clockOf(to)}. Vertical lines are records of the log.
      </p>
    </section>
  );
}

function Tree({ lives }: { lives: Life[] }) {
  const { from, to } = rangeOf(lives);
  const known = useKnownApplications(lives.map(({ application }) => application));
  const part = (at: number) => ((at - from) / Math.max(1, to - from)) * 200;
  return (
    <section aria-label="Processes">
      <h2>Processes</h2>
      <div class="scrolls">
        <table class="plain processes">
          <thead>
            <tr>
              <th class="text">Process</th>
              <th class="text">Type</th>
              <th>% CPU, max</th>
              <th>Resident, max</th>
              <th class="text">Life</th>
              <th class="text">Command</th>
            </tr>
          </thead>
          <tbody>
            {lives.slice(0, shownProcesses).map((life, i) => (
              <tr key={i}>
                <td class={`text depth-${Math.min(8, life.depth)}`}>
                  {known.has(life.application) ? (
                    <a href={linkTo.application(life.application)} title="The application of this process">
                      {life.pid}
                    </a>
                  ) : (
                    life.pid
                  )}
                </td>
                <td class="text">{life.type}</td>
                <td>{measureText('cpuPercent', life.most.cpuPercent)}</td>
                <td>{measureText('rssBytes', life.most.rssBytes)}</td>
                <td class="text">
                  <svg class="life" width="202" height="10" role="img" aria-label={`${clockOf(life.start)}–${clockOf(life.end)}`}>
                    <title>
                      {exactMoment(life.start)} – {exactMoment(life.end)}
                    </title>
                    <rect x={part(life.start)} y="1" width={Math.max(2, part(life.end) - part(life.start))} height="8" />
                  </svg>
                </td>
                <td class="text command-cell" title={life.command}>
                  {life.command}
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      {lives.length > shownProcesses && (
        <p class="quiet note">
          The first {shownProcesses} of {count(lives.length)} processes.
        </p>
      )}
    </section>
  );
}

function Log({ rows }: { rows: LogRow[] }) {
  if (rows.length === 0) return null;
  return (
    <section aria-label="Log">
      <h2>Log</h2>
      <table class="plain">
        <tbody>
          {rows.slice(-1000).map(({ msgTime = 0, msgType = '', message = '' }, i) => (
            <tr key={i}>
              <td class="text" title={exactMoment(msgTime)}>
                {clockOf(msgTime)}
              </td>
              <td class={`text ${msgType === 'error' ? 'status failed' : ''}`}>{msgType}</td>
              <td class="text">{message}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}
