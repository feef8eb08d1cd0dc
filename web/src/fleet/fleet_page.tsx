// SPDX-License-Identifier: Apache-2.0
import { useMemo } from 'preact/hooks';
import { query } from '../server/query.ts';
import { QueryLink } from '../server/query_link.tsx';
import { ThemeButton } from '../server/theme_button.tsx';
import { count, duration, hours, money, share } from '../state/format.ts';
import { plural } from '../views/text.ts';
import type { Dimension } from './contract.ts';
import { DayBars } from './day_bars.tsx';
import { filterOf, nameAt } from './filter_address.ts';
import { FleetFilterBar, measures } from './filter_bar.tsx';
import {
  ApplicationsSection,
  FailuresSection,
  linked,
  type LinkTo,
  QueriesSection,
  RegressionsSection,
  SettingsSection,
  TablesSection,
} from './lists.tsx';
import { dayText, factsOf, jobText, measureName, measureText, wastedOf, withUnit } from './numbers.ts';
import { SortedTable } from './sorted_table.tsx';
import type { Fleet, Measure, RuleTotal, Total } from './totals.ts';

/** what the totals are split by */
type Grouping = Dimension | 'day';
const groupings: [Grouping, string][] = [
  ['user', 'user'],
  ['queue', 'queue'],
  ['job', 'job'],
  ['engine', 'engine'],
  ['sparkVersion', 'Spark version'],
  ['day', 'day'],
];

const daysOfYear = 365;

/** The days that the applications cover, for the saving of a year. */
const coveredDays = (days: [number, Total][]) => (days.length > 0 ? days.at(-1)![0] - days[0]![0] + 1 : 0);

function verdict(total: Total, rules: RuleTotal[], fleet: Fleet, measure: Measure): string {
  const { currency } = fleet.data;
  if (total.applications === 0) return 'No application matches the filter.';
  const start = `${plural(total.applications, 'application')} ${measure === 'cost' ? 'cost' : 'held'} ${measureText(measure, total[measure], currency)}`;
  if (total.core === 0) return `${start}; the logs do not show their executors.`;
  const top = rules[0];
  const wasted = `${share(total.wasted / total.core)} of their core time did no work`;
  if (!top) return `${start}; ${wasted}.`;
  const { rule, title } = fleet.data.rules[top.rule]!;
  return `${start}; ${wasted}. The finding ${rule} saves most: ${measureText(measure, top[measure], currency)} in ${plural(top.applications, 'application')}, such as "${title}".`;
}

function Tiles({ total, fleet }: { total: Total; fleet: Fleet }) {
  const { currency } = fleet.data;
  const tiles: [string, string][] = [
    ['Applications', count(total.applications)],
    ['Core-hours', hours(total.core)],
    ['Core-hours without work', `${hours(total.wasted)} (${total.core > 0 ? share(total.wasted / total.core) : '–'})`],
    ['GB-hours', hours(total.gb)],
    ...(fleet.hasCost ? [[`Cost${currency && ` (${currency})`}`, money(total.cost)] as [string, string]] : []),
    ['Findings could save', measureText(fleet.hasCost ? 'cost' : 'core', total.saved[fleet.hasCost ? 'cost' : 'core'], currency)],
  ];
  return (
    <dl class="fleet-tiles">
      {tiles.map(([label, text]) => (
        <div key={label}>
          <dt>{label}</dt>
          <dd>{text}</dd>
        </div>
      ))}
    </dl>
  );
}

/** of savings, in heads of columns */
const unitOf = ({ data: { currency } }: Fleet, measure: Measure) =>
  measure === 'cost' ? currency || 'cost' : measureName(measure, currency);

interface GroupsProperties {
  fleet: Fleet;
  selected: Uint8Array;
  measure: Measure;
}

function Groups({ fleet, selected, measure }: GroupsProperties) {
  const dimension = groupings.find(([name]) => name === query.value.get('by'))?.[0] ?? 'job';
  const text = (number: number) => (dimension === 'day' ? dayText(number) : nameAt(fleet, dimension, number));
  const shownName = (number: number) => (dimension === 'job' ? jobText(text(number)) : text(number));
  const rows = useMemo(
    () =>
      (dimension === 'day' ? fleet.totalsByDay(selected) : [...fleet.totalsBy(dimension, selected).entries()])
        .map(([number, total]) => ({ total, number }))
        .filter(({ total }) => total.applications > 0),
    [fleet, selected, dimension],
  );
  const unit = unitOf(fleet, measure);
  const most = rows.reduce((largest, { total }) => Math.max(largest, total[measure]), 0) || 1;
  const columns = useMemo(
    () => [
      {
        label: groupings.find(([name]) => name === dimension)![1],
        value: ({ number }: (typeof rows)[0]) => text(number),
        show: ({ number }: (typeof rows)[0]) => shownName(number),
      },
      {
        label: 'applications',
        value: (row: (typeof rows)[0]) => row.total.applications,
        show: (row: (typeof rows)[0]) => count(row.total.applications),
      },
      { label: 'core-hours', value: (row: (typeof rows)[0]) => row.total.core, show: (row: (typeof rows)[0]) => hours(row.total.core) },
      {
        label: 'without work',
        hint: 'core-hours without a task that succeeded',
        value: (row: (typeof rows)[0]) => row.total.wasted,
        show: (row: (typeof rows)[0]) =>
          `${hours(row.total.wasted)} (${row.total.core > 0 ? share(row.total.wasted / row.total.core) : '–'})`,
      },
      { label: 'GB-hours', value: (row: (typeof rows)[0]) => row.total.gb, show: (row: (typeof rows)[0]) => hours(row.total.gb) },
      ...(fleet.hasCost
        ? [
            {
              label: withUnit('cost', fleet.data.currency),
              value: (row: (typeof rows)[0]) => row.total.cost,
              show: (row: (typeof rows)[0]) => money(row.total.cost),
            },
          ]
        : []),
      {
        label: `could save, ${unit}`,
        hint: 'expected savings of its findings',
        value: (row: (typeof rows)[0]) => row.total.saved[measure],
        show: (row: (typeof rows)[0]) => (measure === 'cost' ? money : hours)(row.total.saved[measure]),
      },
      {
        label: 'share',
        hint: 'the whole bar is what was held, its orange part did no work',
        value: (row: (typeof rows)[0]) => row.total[measure],
        show: (row: (typeof rows)[0]) => (
          <svg class="fleet-bar" width="90" height="10" role="img" aria-label={share(row.total[measure] / most)}>
            <rect width={(90 * row.total[measure]) / most} height="10" fill="var(--bar)" />
            <rect width={(90 * wastedOf(row.total, measure)) / most} height="10" fill="var(--heat)" />
          </svg>
        ),
      },
    ],
    [fleet, dimension, measure, most],
  );
  return (
    <section>
      <h2>Cost and waste</h2>
      <nav class="fleet-choice" aria-label="Group by">
        {groupings.map(([name, label]) => (
          <QueryLink key={name} class="button" current={name === dimension} change={{ by: name }}>
            By {label}
          </QueryLink>
        ))}
      </nav>
      <SortedTable
        key={dimension}
        label={`Cost and waste by ${dimension}`}
        columns={columns}
        rows={rows}
        sort={2}
        pick={({ number }) => (dimension === 'day' ? { from: text(number), to: text(number) } : { [dimension]: text(number) })}
        pickHint="Show only these applications"
      />
    </section>
  );
}

function Savings({
  fleet,
  rules,
  days,
  measure,
  linkTo,
}: {
  fleet: Fleet;
  rules: RuleTotal[];
  days: number;
  measure: Measure;
  linkTo?: LinkTo;
}) {
  const perYear = days > 0 ? daysOfYear / days : 0;
  const format = measure === 'cost' ? money : hours;
  const columns = useMemo(
    () => [
      { label: 'finding', value: (row: RuleTotal) => fleet.data.rules[row.rule]!.rule },
      { label: 'applications', value: (row: RuleTotal) => row.applications, show: (row: RuleTotal) => count(row.applications) },
      {
        label: `could save, ${unitOf(fleet, measure)}`,
        value: (row: RuleTotal) => row[measure],
        show: (row: RuleTotal) => format(row[measure]),
      },
      {
        label: `in a year, ${unitOf(fleet, measure)}`,
        hint: `at the pace of these ${days} days`,
        value: (row: RuleTotal) => row[measure] * perYear,
        show: (row: RuleTotal) => format(row[measure] * perYear),
      },
      {
        label: 'largest',
        value: (row: RuleTotal) => fleet.data.source[row.most] ?? '',
        show: (row: RuleTotal) => linked(fleet.data.id[row.most], linkTo),
      },
      { label: 'example', sentence: true, value: (row: RuleTotal) => fleet.data.rules[row.rule]!.title },
      { label: 'what to change', sentence: true, value: (row: RuleTotal) => fleet.data.rules[row.rule]!.change },
    ],
    [fleet, measure, perYear],
  );
  return (
    <section>
      <h2>Top savings</h2>
      <p class="quiet">Estimates. Findings that save the same time count once. `sparkprof findings LOG` explains each.</p>
      <SortedTable
        label="Top savings"
        columns={columns}
        rows={rules}
        sort={2}
        pick={({ rule }) => ({ finding: fleet.data.rules[rule]!.rule })}
        pickHint="Show only applications with this finding"
      />
    </section>
  );
}

export function FleetPage({ fleet }: { fleet: Fleet }) {
  return (
    <>
      <header class="page-header">
        <span class="brand">sparkprof</span>
        <h1>Fleet</h1>
        <span class="facts">{factsOf(fleet)}</span>
        <ThemeButton />
      </header>
      <FleetContent fleet={fleet} />
    </>
  );
}

/** `linkTo`: the ID of an application as a link to its page, on a server. */
export function FleetContent({ fleet, linkTo }: { fleet: Fleet; linkTo?: LinkTo }) {
  const parameters = query.value;
  const usual = fleet.hasCost ? 'cost' : 'core';
  const measure = measures.find(([name]) => name === parameters.get('in'))?.[0] ?? usual;
  const selected = useMemo(() => fleet.select(filterOf(fleet, parameters)), [fleet, parameters]);
  const total = useMemo(() => fleet.total(selected), [selected]);
  const days = useMemo(() => fleet.totalsByDay(selected), [selected]);
  const rules = useMemo(() => fleet.totalsByRule(selected, measure).sort((a, b) => b[measure] - a[measure]), [selected, measure]);
  const showJob = (job: number) => ({ job: nameAt(fleet, 'job', job) });
  return (
    <main class="fleet">
      <p class="fleet-verdict">{verdict(total, rules, fleet, measure)}</p>
      <FleetFilterBar fleet={fleet} measure={measure} />
      <Tiles total={total} fleet={fleet} />
      {days.length > 1 && (
        <DayBars days={days} measure={measure} currency={fleet.data.currency} format={measure === 'cost' ? money : hours} />
      )}
      <Groups fleet={fleet} selected={selected} measure={measure} />
      <Savings fleet={fleet} rules={rules} days={coveredDays(days)} measure={measure} linkTo={linkTo} />
      <RegressionsSection fleet={fleet} pick={showJob} />
      <ApplicationsSection fleet={fleet} selected={selected} linkTo={linkTo} />
      <QueriesSection fleet={fleet} pick={showJob} />
      <TablesSection fleet={fleet} />
      <SettingsSection fleet={fleet} />
      <FailuresSection fleet={fleet} />
      <p class="quiet">
        Report of {new Date(fleet.data.generated).toISOString().slice(0, 16).replace('T', ' ')} UTC. Times and days are UTC. The longest run
        took {duration(fleet.data.durationMs.reduce((most: number, ms) => Math.max(most, ms ?? 0), 0) * 1e6)}.
      </p>
    </main>
  );
}
