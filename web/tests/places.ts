// SPDX-License-Identifier: Apache-2.0
// Answers of the command, its server, agents and fleets about one input.
import { type ChildProcess, execFileSync, spawn, spawnSync } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { decodeReport } from '../src/data/decode.ts';
import type { Report } from '../src/data/contract.ts';
import type { FleetData } from '../src/fleet/contract.ts';

export type Row = Record<string, unknown>;
const most = 1 << 30; // bytes of an answer

/** Prices of an hour, so that costs are among the quantities. */
const prices = { currency: 'EUR', coreHour: 0.05, gbHour: 0.005 };

export const tables = [
  'applications',
  'jobs',
  'stages',
  'tasks',
  'executors',
  'sql',
  'datasets',
  'operators',
  'udfs',
  'waits',
  'heap_summaries',
  'processes',
  'hosts',
  'metrics',
  'storage',
  'streaming',
  'environment',
] as const;
export type TableName = (typeof tables)[number];

export interface Places {
  tables: Record<TableName, Row[]>;
  /** `analyze --json`: the application */
  analyzed: Row;
  /** lines of `analyze` for people */
  terminal: string[];
  findings: Row[];
  /** null for several applications */
  compared: Row | null;
  tuned: Row | null;
  /** answers for agents, by tool */
  agents: Record<string, string>;
  report: Report;
  /** address of the report's page */
  page: string;
  fleet: FleetData | null;
  fleetPage: string;
}

/** Data of the element that a page's script reads. */
const embedded = (html: string) => /<script id="sparkprof-data"[^>]*>([^<]*)</.exec(html)![1]!;

export class Command {
  constructor(
    private readonly program: string,
    readonly folder: string,
  ) {
    mkdirSync(folder, { recursive: true });
    writeFileSync(this.prices, JSON.stringify(prices));
  }

  get prices(): string {
    return join(this.folder, 'prices.json');
  }

  text(...parts: string[]): string {
    return spawnSync(this.program, parts, { encoding: 'utf8', maxBuffer: most, stdio: ['ignore', 'pipe', 'ignore'] }).stdout;
  }

  json<T>(...parts: string[]): T {
    return JSON.parse(this.text(...parts, '--json') || 'null') as T;
  }

  /** Every answer for the first application of an input. */
  async ask(input: string): Promise<Places> {
    const priced = ['--prices', this.prices];
    const { applications } = this.json<{ applications: Row[] }>('analyze', input, '--report', join(this.folder, 'report.html'), ...priced);
    const analyzed = applications[0]!;
    const page = String(analyzed.report);
    const only = ['--application', String(analyzed.id) + (analyzed.attempt ? `/${String(analyzed.attempt)}` : '')];
    const show = (table: TableName) => this.json<Row[] | null>('show', table, input, ...(table === 'applications' ? [] : only)) ?? [];
    const fleet = this.fleetOf(input);
    return {
      tables: Object.fromEntries(tables.map((table) => [table, show(table)])) as Record<TableName, Row[]>,
      analyzed,
      terminal: this.text('analyze', input, '--no-report', ...priced).split('\n'),
      findings: this.json<Row[] | null>('findings', input, ...priced) ?? [],
      compared: applications.length === 1 ? this.json<Row>('compare', input, input, ...priced) : null,
      tuned: this.json<Row | null>('tune', input),
      agents: this.agents(input),
      report: await decodeReport(embedded(readFileSync(page, 'utf8'))),
      page,
      ...fleet,
    };
  }

  private agents(input: string): Record<string, string> {
    const tools = ['find_applications', 'diagnose', 'explain', 'tune', 'log_errors'];
    const messages = [
      { jsonrpc: '2.0', id: 0, method: 'initialize', params: { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: {} } },
      ...tools.map((name, i) => ({ jsonrpc: '2.0', id: i + 1, method: 'tools/call', params: { name, arguments: {} } })),
    ];
    const { stdout } = spawnSync(this.program, ['mcp', input], {
      input: messages.map((message) => `${JSON.stringify(message)}\n`).join(''),
      encoding: 'utf8',
      maxBuffer: most,
    });
    const answers: Record<string, string> = {};
    for (const line of stdout.split('\n').filter(Boolean)) {
      const { id, result } = JSON.parse(line) as { id: number; result?: { content?: { text?: string }[] } };
      const tool = tools[id - 1];
      if (tool) answers[tool] = (result?.content ?? []).map(({ text }) => text ?? '').join('\n');
    }
    return answers;
  }

  /** Fleets read event logs only. */
  private fleetOf(input: string): { fleet: FleetData | null; fleetPage: string } {
    const [folder, page] = [join(this.folder, 'fleet'), join(this.folder, 'fleet.html')];
    try {
      execFileSync(this.program, ['fleet', 'analyze', input, '--output', folder, '--prices', this.prices], { stdio: 'ignore' });
      execFileSync(this.program, ['fleet', 'report', folder, '-o', page, '--prices', this.prices], { stdio: 'ignore' });
    } catch {
      return { fleet: null, fleetPage: '' };
    }
    const fleet = JSON.parse(embedded(readFileSync(page, 'utf8'))) as FleetData;
    return fleet.id.length > 0 ? { fleet, fleetPage: page } : { fleet: null, fleetPage: '' };
  }

  /** A collector that has the input. */
  async serve(input: string): Promise<Collector> {
    const data = join(this.folder, 'collector');
    const server = spawn(this.program, ['serve', '--listen', '127.0.0.1:0', '--data', data, '--prices', this.prices], {
      stdio: ['ignore', 'ignore', 'pipe'],
    });
    const url = await new Promise<string>((resolve, reject) => {
      let text = '';
      server.stderr.on('data', (bytes: Buffer) => {
        text += bytes.toString();
        const found = /serving (http\S+)\//.exec(text);
        if (found) resolve(found[1]!);
      });
      server.on('exit', () => reject(new Error(`${basename(this.program)} serve ended: ${text}`)));
    });
    execFileSync(this.program, ['push', '--server', url, input], { stdio: 'ignore' });
    return new Collector(server, url);
  }
}

export class Collector {
  constructor(
    private readonly server: ChildProcess,
    readonly url: string,
  ) {}

  async json<T>(path: string): Promise<T | null> {
    const response = await fetch(`${this.url}${path}`);
    return response.ok ? ((await response.json()) as T) : null;
  }

  /** Spark's own REST API; null where the application has none, as without events of the driver. */
  async spark<T>(id: string, attempt: string, what: string): Promise<T | null> {
    return await this.json<T>(`/api/v1/applications/${id}${attempt ? `/${attempt}` : ''}/${what}`);
  }

  async stop(): Promise<void> {
    const ended = new Promise((resolve) => this.server.once('exit', resolve));
    this.server.kill('SIGTERM');
    await ended;
  }
}
