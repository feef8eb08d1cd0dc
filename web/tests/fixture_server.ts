// SPDX-License-Identifier: Apache-2.0
// What `sparkprof serve` answers, made up: for tests of its pages without the program.
import { readFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { gzipSync } from 'node:zlib';
import type { AutoVersions, Comparison, GroupFinding, GroupSeries, ListedApplication, Proofs } from '../src/server/contract.ts';
import type { Report } from '../src/data/contract.ts';
import { encodeBytes } from './encode.ts';
import { makeChange } from './make_change.ts';
import { demoReport, generator } from './make_data.ts';
import { Fleet } from '../src/fleet/totals.ts';
import { makeFleet } from './make_fleet.ts';
import { makeNodeProcesses, makeNodes } from './make_nodes.ts';
import { makeLog, makeProcesses, makeRuns } from './make_runs.ts';

const policy =
  "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; font-src 'self'; " +
  "base-uri 'none'; form-action 'self'; frame-ancestors 'none'";
const groups = ['nightly-orders', 'features', 'ad-hoc', 'reporting', 'ml-training'];
const users = ['ana', 'bo', 'chris', 'dee'];
const names = ['orders_daily', 'feature_store', 'sessions', 'billing_report', 'train_ranker', 'compact_events'];
const rules = ['straggler', 'skew', 'memory', 'hot-frame'];
const titles = [
  'Stage 3: two tasks take 14 times the median',
  'Stage 3: GC takes 11% of task time',
  'Stage 1: 400 tasks of 12 ms',
  'The driver works alone for 38% of the run',
];
/** So many of the latest applications have the newest version. */
const releaseAt = 60;
/** Fixed, so that pictures of different runs are equal. */
export const fixtureNow = Date.UTC(2026, 10, 21, 12, 0, 0);

export function makeApplications(count: number): ListedApplication[] {
  const random = generator(11);
  return Array.from({ length: count }, (_unused, i): ListedApplication => {
    const startTime = fixtureNow - Math.floor((i + random()) * 7 * 60e3);
    const durationMs = Math.floor(20e3 + random() ** 3 * 3600e3);
    const running = i === 0 || startTime + durationMs > fixtureNow;
    const status = running ? 'running' : random() < 0.06 ? 'failed' : random() < 0.02 ? 'incomplete' : 'finished';
    const kind = Math.floor(random() * names.length);
    const found = Math.floor(random() ** 2 * 5);
    return {
      id: `app-20261121${String(100000 + i).slice(-6)}-${String(i % 10000).padStart(4, '0')}`,
      attempt: '',
      name: names[kind]!,
      user: users[kind % users.length]!,
      group: groups[kind % groups.length]!,
      status,
      startTime,
      endTime: running ? null : startTime + durationMs,
      durationMs: running ? fixtureNow - startTime : durationMs,
      tasks: Math.floor(random() * 4000),
      cpuSeconds: Math.floor(random() * 9000) / 10,
      findings: found,
      topFinding: found > 0 ? titles[(i + found) % titles.length]! : '',
      savingMs: found > 1 ? Math.floor(durationMs / (2 + found)) : null,
      cost: i % 7 === 3 ? null : { total: durationMs / 4e5, currency: 'USD' },
      totals: 'complete',
      version: i < releaseAt ? '1.5' : '1.4',
      sparkVersion: i < 2 * releaseAt ? '4.1.1' : '3.5.7',
    };
  });
}

const proofs: Proofs = {
  proofs: [
    {
      time: fixtureNow - 3e6,
      finding: 'tiny-tasks-1.0',
      change: 'spark.sql.shuffle.partitions=64',
      verdict: 'proved',
      text: 'Proved: 18.2 s faster (-31%, 95%: -35% to -27%), equal row counts in 4 of 4 queries, 8 runs',
      deltaMs: { median: -18200, low: -20600, high: -15900 },
    },
    {
      time: fixtureNow - 9e7,
      finding: '',
      change: 'spark.sql.adaptive.enabled=false',
      verdict: 'no-difference',
      text: 'No difference above noise (±4.1%), equal row counts in 4 of 4 queries, 24 runs',
      deltaMs: { median: 300, low: -2000, high: 2400 },
    },
  ],
  total: 2,
  rules: [{ rule: 'tiny-tasks', proofs: 1, proved: 1 }],
};

const sizes: AutoVersions = {
  own: { 'spark.executor.memory': '8g' },
  versions: [
    {
      number: 1,
      before: 0,
      time: fixtureNow - 9e7,
      settings: { 'spark.executor.memory': '6g' },
      changed: 'spark.executor.memory',
      why: 'the last 5 runs need at most 5376m (app-0005: The fullest heap held 4.1 GiB)',
      runs: ['app-0006'],
    },
    {
      number: 2,
      before: 1,
      time: fixtureNow - 3e6,
      settings: {},
      changed: '',
      why: 'app-0006 spilled 1.2 GiB, at most 0 B before',
      runs: [],
    },
  ],
  refused: [{ key: 'spark.executor.memory', value: '6g', why: 'app-0006 spilled 1.2 GiB' }],
};

const findings: GroupFinding[] = [
  {
    rule: 'straggler',
    severity: 'high',
    title: 'Stage 3: two tasks take 14 times the median',
    applications: 31,
    last: fixtureNow - 5e6,
    latestApplication: 'app-1',
    gainSeconds: 5210,
  },
  {
    rule: 'memory',
    severity: 'medium',
    title: 'Stage 3: GC takes 11% of task time',
    applications: 12,
    last: fixtureNow - 9e6,
    latestApplication: 'app-1',
    gainSeconds: 610,
  },
  {
    rule: 'tiny-tasks',
    severity: 'low',
    title: 'Stage 1: 400 tasks of 12 ms',
    applications: 4,
    last: fixtureNow - 4e8,
    latestApplication: 'app-1',
    gainSeconds: 0,
  },
];

function series(): GroupSeries[] {
  const random = generator(5);
  const hours = Array.from({ length: 7 * 24 }, (_unused, i) => fixtureNow - (7 * 24 - i) * 3600e3).filter(() => random() > 0.08);
  const points = (base: number, swing: number): [number, number][] =>
    hours.map((time) => [time, base + swing * (0.5 + 0.5 * Math.sin(time / 1.4e7)) * (0.7 + random() * 0.3)]);
  return [
    { name: 'jvm.heap_used_bytes', points: points(1.2e9, 2.4e9) },
    { name: 'process.cpu_ns', points: points(0.4, 3.2) },
    { name: 'process.rss_bytes', points: points(2e9, 3e9) },
    { name: 'jvm.gc_time_ns', points: points(0.01, 0.2) },
  ];
}

export class FixtureServer {
  applications: ListedApplication[];
  /** tokens that may read; without any everybody may */
  token = '';
  /** answers 503 to everything of the API */
  down = false;
  /** ms added to the data of reports: a running application grows */
  grown = 0;
  requests: string[] = [];
  runs = makeRuns(fixtureNow);
  configuration = { version: 3, configuration: { 'cpu.interval': '20ms' } as Record<string, string> };
  private readonly report = demoReport();
  private readonly server = createServer((request, response) => void this.answer(request, response));

  constructor(count = 250) {
    this.applications = makeApplications(count);
  }

  async start(): Promise<string> {
    await new Promise<void>((resolve) => {
      this.server.listen(0, '127.0.0.1', resolve);
    });
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  async stop(): Promise<void> {
    this.server.closeAllConnections();
    await new Promise((resolve) => {
      this.server.close(resolve);
    });
  }

  private async answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const url = new URL(request.url!, 'http://fixture');
    this.requests.push(`${request.method} ${request.url}`);
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const body = Buffer.concat(chunks).toString();
    const send = (status: number, type: string, content: string | Buffer, headers: Record<string, string> = {}) => {
      response.writeHead(status, { 'content-type': type, 'content-security-policy': policy, ...headers });
      response.end(content);
    };
    const refuse = (status: number, message: string) =>
      send(status, 'application/json', JSON.stringify({ error: { code: String(status), message } }));
    const asset = /^\/assets\/(server(?:_fleet)?\.(?:js|css))$/.exec(url.pathname);
    const allowed = !this.token || new RegExp(`sparkprof=${this.token}(;|$)`).test(request.headers.cookie ?? '');
    if (asset)
      send(200, asset[1]!.endsWith('js') ? 'text/javascript' : 'text/css', readFileSync(new URL(`../dist/${asset[1]}`, import.meta.url)));
    else if (url.pathname === '/login' && request.method === 'POST') {
      const form = new URLSearchParams(body);
      if (form.get('token') === this.token)
        send(303, 'text/plain', '', {
          location: form.get('next') ?? '/',
          'set-cookie': `sparkprof=${this.token}; Path=/; HttpOnly; SameSite=Strict`,
        });
      else send(303, 'text/plain', '', { location: `/login?failed=1&next=${encodeURIComponent(form.get('next') ?? '/')}` });
    } else if (!url.pathname.startsWith('/api/'))
      send(200, 'text/html; charset=utf-8', readFileSync(new URL('../dist/server.html', import.meta.url)));
    else if (!allowed) refuse(401, 'a token is missing');
    else if (this.down) refuse(503, 'the catalogue is being rebuilt');
    else {
      const answer = this.api(url.pathname.replace('/api/sparkprof/v1', ''), url.searchParams, request, body);
      if (answer === null) refuse(404, `${url.pathname} is unknown`);
      else if (answer instanceof Refused) refuse(answer.status, answer.message);
      else if ('json' in answer) send(200, 'application/json', JSON.stringify(answer.json));
      else if (request.headers['if-none-match'] === answer.etag) send(304, 'application/octet-stream', '', { etag: answer.etag });
      else
        send(200, 'application/octet-stream', gzipSync(answer.bytes), {
          etag: answer.etag,
          'content-encoding': 'gzip',
          'cache-control': 'private, no-cache',
        });
    }
  }

  private api(path: string, parameters: URLSearchParams, request: IncomingMessage, body: string) {
    const [, what, id = '', part = ''] = path.split('/').map(decodeURIComponent);
    if (what === 'applications' && !id) return { json: this.list(parameters) };
    const own = this.applications.find((row) => row.id === id);
    if (what === 'applications' && part === 'report' && own)
      return { bytes: encodeBytes(this.reportOf(own)), etag: `"${own.id}-${own.status}-${this.grown}"` };
    if (what === 'groups' && !id) return { json: { groups: this.groups() } };
    if (what === 'groups' && part === 'series') return { json: { series: series() } };
    if (what === 'groups' && part === 'findings') return { json: { findings } };
    if (what === 'groups' && part === 'functions')
      return {
        json: {
          event: 'cpu',
          unit: 'ns',
          total: 9e12,
          functions: Array.from({ length: 60 }, (_unused, i) => ({
            name: `org.example.orders.Step${i}.apply`,
            self: 9e11 / (i + 1),
            total: 2e12 / (i + 1),
          })),
        },
      };
    if (what === 'groups' && part === 'report') return this.groupReport(parameters);
    if (what === 'groups' && part === 'auto') return { json: sizes };
    if (what === 'groups' && part === 'configuration')
      return request.method === 'PUT' ? this.configure(request, body) : { json: this.configuration };
    if (what === 'fleet') return { json: this.fleet() };
    if (what === 'proofs') return { json: proofs };
    if (what === 'nodes') return this.nodes(id, parameters);
    if (what === 'runs') return this.run(id, part);
    if (what === 'compare') return this.compare(parameters);
    return null;
  }

  /** One of the applications that waste most, the first, is one of the server's. */
  private fleet() {
    const fleet = makeFleet(2000);
    fleet.id[new Fleet(fleet).mostWasted(new Uint8Array(2000).fill(1), 1)[0]!] = this.applications[0]!.id;
    return fleet;
  }

  private list(parameters: URLSearchParams) {
    const get = (name: string) => parameters.get(name) ?? '';
    const search = get('search').toLowerCase();
    const found = this.applications.filter(
      (row) =>
        (!search || `${row.id} ${row.name} ${row.user} ${row.group}`.toLowerCase().includes(search)) &&
        (['group', 'user', 'status'] as const).every((name) => !get(name) || row[name] === get(name)) &&
        (!get('finding') || ((row.findings ?? 0) > 0 && rules.includes(get('finding')))) &&
        (!get('from') || (row.endTime ?? Infinity) >= Number(get('from'))) &&
        (!get('to') || row.startTime <= Number(get('to'))),
    );
    const sort = (get('sort') || '-startTime').replace(/^-/, '') as keyof ListedApplication;
    const direction = (get('sort') || '-startTime').startsWith('-') ? -1 : 1;
    found.sort((a, b) => {
      const x = a[sort] ?? Infinity;
      const y = b[sort] ?? Infinity;
      return direction * (x < y ? -1 : x > y ? 1 : 0) || (a.id < b.id ? -1 : 1);
    });
    const at = Number(get('cursor')) || 0;
    const limit = Number(get('limit')) || 100;
    return { applications: found.slice(at, at + limit), next: at + limit < found.length ? String(at + limit) : null, total: found.length };
  }

  private nodes(host: string, parameters: URLSearchParams) {
    const to = Number(parameters.get('to') ?? fixtureNow);
    const from = Number(parameters.get('from') ?? to - 3600e3);
    return {
      json: host ? makeNodeProcesses(host, from, to, parameters.get('sort') ?? '') : makeNodes(from, to, Number(parameters.get('spans'))),
    };
  }

  private run(id: string, part: string) {
    const run = this.runs.find((other) => String(other.id) === id);
    if (!id) return { json: { runs: [...this.runs].reverse(), total: this.runs.length } };
    if (!run) return null;
    const rows = part === 'log' ? makeLog(run) : makeProcesses(run);
    return { json: part ? { rows, total: rows.length } : run };
  }

  private groups() {
    return groups
      .map((name) => {
        const rows = this.applications.filter((row) => row.group === name);
        return {
          name,
          applications: rows.length,
          running: rows.filter(({ status }) => status === 'running').length,
          failed: rows.filter(({ status }) => status === 'failed').length,
          firstStart: Math.min(...rows.map((row) => row.startTime)),
          lastStart: Math.max(...rows.map((row) => row.startTime)),
          cpuSeconds: rows.reduce((sum, row) => sum + (row.cpuSeconds ?? 0), 0),
        };
      })
      .filter(({ applications }) => applications > 0);
  }

  /** A running application has only the tasks that began so far. */
  private reportOf(row: ListedApplication): Report {
    const { report } = this;
    const running = row.status === 'running';
    const application = { ...report.application, id: row.id, name: row.name, user: row.user, complete: !running };
    if (!running) return { ...report, application };
    const until = 15_000 + this.grown;
    const kept = [...report.samples.bucket.keys()].filter((i) => report.samples.bucket[i]! * report.bucketMs < until);
    const samples = Object.fromEntries(
      Object.entries(report.samples).map(([name, column]) => {
        const Column = column.constructor as { from(list: number[]): typeof column };
        return [name, Column.from(kept.map((i) => column[i]!))];
      }),
    ) as unknown as Report['samples'];
    return { ...report, application: { ...application, endTime: application.startTime + until }, samples };
  }

  private groupReport(parameters: URLSearchParams) {
    const event = this.report.events.find(({ name }) => name === (parameters.get('event') ?? 'cpu'));
    if (!event) return new Refused(404, `there are no ${parameters.get('event')} samples`);
    return { bytes: encodeBytes({ ...this.report, events: [event], startTab: 'flame' }), etag: `"group-${event.name}"` };
  }

  private configure(request: IncomingMessage, body: string) {
    const { configuration } = JSON.parse(body) as { configuration: Record<string, string> };
    if (request.headers['if-match'] !== `"${this.configuration.version}"`)
      return new Refused(412, 'the configuration has another version; read it again');
    if (configuration['cpu.interval'] === 'often') return new Refused(400, 'cpu.interval: "often" is not a duration');
    this.configuration = { version: this.configuration.version + 1, configuration };
    return { json: this.configuration };
  }

  private compare(parameters: URLSearchParams) {
    const [a, b] = ['a', 'b'].map((side) => this.applications.find((row) => row.id === parameters.get(side)));
    if (!a || !b) return null;
    const random = generator(3);
    const stage = (id: number, factor: number) => ({
      stage: id,
      attempt: 0,
      status: 'succeeded',
      durationMs: 2000 * (id + 1) * factor,
      tasks: 40,
      failedTasks: 0,
      runTimeNs: 6e9 * (id + 1) * factor,
      cpuTimeNs: 5e9 * (id + 1) * factor,
      gcTimeNs: 3e8 * factor,
      shuffleReadBytes: 4e7 * id,
      shuffleWriteBytes: 3e7 * id,
      spilledBytes: id === 3 ? 5e8 : 0,
    });
    const json: Comparison = {
      a,
      b,
      stages: this.report.stages.map(({ name }, i) => ({ name, a: i === 6 ? null : stage(i, 1 + random()), b: stage(i, 1) })),
      settings: [
        { name: 'Spark: spark.app.id', a: a.id, b: b.id },
        { name: 'Spark: spark.executor.memory', a: '4g', b: '8g' },
        { name: 'Spark: spark.sql.shuffle.partitions', a: '200', b: '40' },
        { name: 'Spark: spark.sql.adaptive.enabled', a: null, b: 'false' },
      ],
      change: makeChange(b.id, a.id),
    };
    return { json };
  }
}

class Refused {
  constructor(
    readonly status: number,
    readonly message: string,
  ) {}
}
