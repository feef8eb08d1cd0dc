// SPDX-License-Identifier: Apache-2.0
// Two runs of a job: how much longer one took and why, both as bars of wall time, their numbers, and what differs.
import { useMemo } from 'preact/hooks';
import { changeColor } from '../../charts/flame/colors.ts';
import type { Report, Selection } from '../../data/contract.ts';
import { Model } from '../../data/model.ts';
import { amount, date, duration, exact, money } from '../../state/format.ts';
import { Store, StoreContext } from '../../state/store.ts';
import { DataTable, type Column } from '../../views/data_table.tsx';
import { WallBar, WallLegend } from '../../views/time/wall_bar.tsx';
import { Ratio } from '../ratio.tsx';
import type { ComparedRun, RunChange } from '../run_change.ts';
import { dark } from '../theme.ts';

interface Properties {
  change: RunChange;
  /** of the earlier and the later run; null while they load */
  reports: [Report, Report] | null;
  /** shows a selection of a run; absent where its report is not at hand */
  open?(run: ComparedRun, selection: Selection): void;
  /** address of a run's own page, or of a selection in it */
  linkTo?(run: ComparedRun, selection?: Selection): string;
}

/** Percent of the duration by which runs of the same job differ without a reason. */
const noise = 5;

const ms = (value: number) => duration(value * 1e6);
const signed = (value: number) => `${value < 0 ? '−' : '+'}${ms(Math.abs(value))}`;
const sides = ['before', 'after'] as const;
const titles = { before: 'Baseline', after: 'This run' };

export function ChangeView({ change, reports, open, linkTo }: Properties) {
  const { before, after, causes, plans, settings, findings, environment } = change;
  const delta = after.durationMs - before.durationMs;
  const stores = useMemo(() => reports?.map((report) => new Store(new Model(report))), [reports]);
  for (const store of stores ?? []) store.systemDark.value = dark.value;
  const models = useMemo(() => stores?.map(({ model }) => model) ?? [], [stores]);
  const longest = Math.max(before.durationMs, after.durationMs) || 1;
  const most = causes.reduce((largest, { deltaMs }) => Math.max(largest, Math.abs(deltaMs)), 1);
  const isNoise = Math.abs(change.changePercent) < noise;
  const [first] = causes.filter(({ deltaMs }) => deltaMs < 0 === delta < 0);
  return (
    <div class="overview change">
      <section class="verdict" aria-label="Verdict">
        <p class="verdict-line">
          <b>{isNoise ? 'No real change' : `${ms(Math.abs(delta))} ${delta < 0 ? 'shorter' : 'longer'}`}</b>: {ms(after.durationMs)},{' '}
          {ms(before.durationMs)} before ({change.changePercent < 0 ? '−' : '+'}
          {Math.abs(change.changePercent).toFixed(1)}%).
        </p>
        <p class="verdict-finding">
          {isNoise ? (
            `Runs of a job differ by up to ${noise}% without a reason.`
          ) : first ? (
            <>
              {first.text}. <b>{signed(first.deltaMs)}</b>
            </>
          ) : (
            'No stage, and not the driver, took noticeably longer or shorter.'
          )}
        </p>
      </section>
      <section class="change-bars" aria-label="Wall time of both runs">
        {sides.map((side, at) => (
          <div key={side}>
            <h2>
              {titles[side]} <RunName run={change[side]} href={linkTo?.(change[side])} />
            </h2>
            {stores ? (
              <StoreContext.Provider value={stores[at]!}>
                <WallBar
                  open={open ? (selection) => open(change[side], selection) : null}
                  label={`Wall time of ${titles[side].toLowerCase()}`}
                  length={change[side].durationMs / longest}
                />
                {at === 1 && <WallLegend models={models} />}
              </StoreContext.Provider>
            ) : (
              <p class="loading change-loading">Loading…</p>
            )}
          </div>
        ))}
      </section>
      <div class="overview-columns">
        <div class="change-lists">
          <section aria-label="Causes">
            <h2>
              Why <span class="quiet">by the wall-clock time they explain</span>
            </h2>
            {causes.length === 0 && <p class="quiet">No stage changed by at least 10% and 50 ms, nor did the driver.</p>}
            <ol class="causes">
              {causes.map(({ text, deltaMs, stage }) => (
                <li key={text}>
                  <i class={deltaMs < 0 ? 'less' : 'more'} aria-hidden="true">
                    <i
                      style={{
                        width: `${(100 * Math.abs(deltaMs)) / most}%`,
                        background: changeColor(Math.sign(deltaMs), dark.value).fill,
                      }}
                    />
                  </i>
                  <b>{signed(deltaMs)}</b>
                  {linkTo && stage !== null ? <a href={linkTo(after, { stage })}>{text}</a> : <span>{text}</span>}
                </li>
              ))}
            </ol>
          </section>
          <Differences title="New findings" texts={findings.new.map(({ title }) => title)} />
          <Differences title="Findings that are gone" texts={findings.gone.map(({ title }) => title)} />
          {plans.length > 0 && (
            <section aria-label="Plans that differ">
              <h2>
                Plans that differ <span class="quiet">{plans.length}</span>
              </h2>
              <ul class="plans">
                {plans.map((plan) => (
                  <li key={`${plan.sqlBefore} ${plan.sqlAfter}`}>
                    <b>{plan.name}</b>{' '}
                    <span class="quiet">
                      query {plan.sqlAfter}
                      {plan.sqlAfter !== plan.sqlBefore && `, which was query ${plan.sqlBefore}`} · {ms(plan.afterMs)}, before{' '}
                      {ms(plan.beforeMs)}
                    </span>
                    {plan.gone.length > 0 && <p>Gone: {plan.gone.join(', ')}</p>}
                    {plan.new.length > 0 && <p>New: {plan.new.join(', ')}</p>}
                  </li>
                ))}
              </ul>
            </section>
          )}
          <ChangedStages stages={change.stages} />
        </div>
        <div class="overview-side">
          <section aria-label="Both runs">
            <h2>Both runs</h2>
            <RunNumbers change={change} />
            {environment.length > 0 && <p class="quiet">{environment.join(' · ')}</p>}
          </section>
          {settings.length > 0 && (
            <section aria-label="Settings that differ">
              <h2>
                Settings that differ <span class="quiet">{settings.length}</span>
              </h2>
              <dl class="changed-settings">
                {settings.map(({ name, before: was, after: is }) => (
                  <div key={name}>
                    <dt>{name}</dt>
                    <dd>
                      <span class="quiet">{was ?? 'not set'}</span> → {is ?? 'not set'}
                    </dd>
                  </div>
                ))}
              </dl>
            </section>
          )}
        </div>
      </div>
    </div>
  );
}

function RunName({ run, href }: { run: ComparedRun; href?: string }) {
  const when = date(run.startTime).replace(/:[\d.]+ UTC$/, ' UTC');
  return (
    <span class="quiet">
      {href ? <a href={href}>{run.name}</a> : run.name} · {run.id}
      {when && ` · ${when}`}
    </span>
  );
}

function Differences({ title, texts }: { title: string; texts: string[] }) {
  if (texts.length === 0) return null;
  return (
    <section aria-label={title}>
      <h2>{title}</h2>
      <ul>
        {texts.map((text) => (
          <li key={text}>{text}</li>
        ))}
      </ul>
    </section>
  );
}

const numbers: [label: string, unit: string, value: (run: ComparedRun) => number | null][] = [
  ['Duration', 'ns', (run) => run.durationMs * 1e6],
  ['Driver, no stage runs', 'ns', (run) => run.driverMs * 1e6],
  ['Tasks', 'count', (run) => run.tasks],
  ['Task time', 'ns', (run) => run.taskMs * 1e6],
  ['CPU of tasks', 'ns', (run) => run.cpuMs && run.cpuMs * 1e6],
  ['GC of tasks', 'ns', (run) => run.gcMs * 1e6],
  ['Input', 'bytes', (run) => run.inputBytes],
  ['Shuffle read', 'bytes', (run) => run.shuffleReadBytes],
  ['Shuffle write', 'bytes', (run) => run.shuffleWriteBytes],
  ['Spilled to disk', 'bytes', (run) => run.spilledBytes],
  ['Cores', 'count', (run) => run.cores],
  ['Executors', 'count', (run) => run.executors],
  ['Findings', 'count', (run) => run.findings],
];

function RunNumbers({ change: { before, after } }: { change: RunChange }) {
  return (
    <table class="plain two-runs">
      <thead>
        <tr>
          <th scope="col" class="text">
            <span class="visually-hidden">Number</span>
          </th>
          <th scope="col">{titles.before}</th>
          <th scope="col">{titles.after}</th>
          <th scope="col">Ratio</th>
        </tr>
      </thead>
      <tbody>
        {before.cost && after.cost && (
          <tr>
            <th scope="row" class="text">
              Cost
            </th>
            <td>{money(before.cost.total, before.cost.currency)}</td>
            <td>{money(after.cost.total, after.cost.currency)}</td>
            <td>
              <Ratio a={after.cost.total} b={before.cost.total} />
            </td>
          </tr>
        )}
        {numbers.map(([label, unit, value]) => {
          const was = value(before);
          const is = value(after);
          if (!was && !is) return null;
          return (
            <tr key={label}>
              <th scope="row" class="text">
                {label}
              </th>
              <td title={exact(was, unit)}>{amount(was, unit)}</td>
              <td title={exact(is, unit)}>{amount(is, unit)}</td>
              <td>{was !== null && is !== null && <Ratio a={is} b={was} />}</td>
            </tr>
          );
        })}
      </tbody>
    </table>
  );
}

function ChangedStages({ stages }: { stages: RunChange['stages'] }) {
  const ids = (list: number[]) => (list.length > 3 ? `${list.length} stages` : list.join(', ') || '–');
  const columns: Column[] = [
    {
      id: 'change',
      label: 'Change',
      width: '90px',
      hint: 'By its size, longer or shorter',
      value: (row) => Math.abs(stages[row]!.afterMs - stages[row]!.beforeMs),
      show: (row) => signed(stages[row]!.afterMs - stages[row]!.beforeMs),
    },
    { id: 'before', label: titles.before, width: '84px', value: (row) => stages[row]!.beforeMs, show: (row) => ms(stages[row]!.beforeMs) },
    { id: 'after', label: titles.after, width: '84px', value: (row) => stages[row]!.afterMs, show: (row) => ms(stages[row]!.afterMs) },
    {
      id: 'ids',
      label: 'Stages',
      hint: 'Stage IDs of the baseline and of this run',
      width: '110px',
      text: true,
      value: (row) => `${ids(stages[row]!.stagesBefore)} → ${ids(stages[row]!.stagesAfter)}`,
    },
    { id: 'name', label: 'Name', text: true, value: (row) => stages[row]!.name },
    { id: 'why', label: 'What changed', text: true, value: (row) => stages[row]!.causes.join('; ') },
  ];
  if (stages.length === 0) return null;
  return (
    <section aria-label="Stages of both runs">
      <h2>
        Stages <span class="quiet">{stages.length}, matched by plan and line of code</span>
      </h2>
      <DataTable
        label="Stages of both runs"
        columns={columns}
        rows={stages.map((_stage, row) => row)}
        sort="change"
        maxHeight={420}
        tools
      />
    </section>
  );
}
