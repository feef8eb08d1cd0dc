// SPDX-License-Identifier: Apache-2.0
// Base64 of gzip of {magic, JSON, columns} -> Report. Lengths in the data are checked before they are used.
import type { Executor, Report, Samples, Stacks, Tasks, Frames, Thread, WallTime } from './contract.ts';

export const magic = 'SPRFRPT1';
const supportedVersion = 1;

/** Says in a sentence what is wrong with the embedded data and what to do. */
export class ReportError extends Error {}

const arrayTypes = { u8: Uint8Array, u16: Uint16Array, u32: Uint32Array, i32: Int32Array, f64: Float64Array } as const;

interface ColumnReference {
  column: keyof typeof arrayTypes;
  offset: number;
  count: number;
}

function isColumn(value: object): value is ColumnReference {
  return typeof (value as ColumnReference).column === 'string' && 'offset' in value && 'count' in value;
}

export function bytesFromBase64(text: string): Uint8Array<ArrayBuffer> {
  const native = (Uint8Array as unknown as { fromBase64?: (t: string) => Uint8Array<ArrayBuffer> }).fromBase64;
  if (native) return native.call(Uint8Array, text);
  const binary = atob(text);
  const bytes = new Uint8Array(binary.length);
  for (let i = 0; i < binary.length; i++) bytes[i] = binary.charCodeAt(i);
  return bytes;
}

async function gunzip(bytes: Uint8Array<ArrayBuffer>): Promise<ArrayBuffer> {
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream('gzip'));
  return await new Response(stream).arrayBuffer();
}

/** Replaces each column reference inside `value` by a view of the column area. */
function resolve(value: unknown, buffer: ArrayBuffer, area: number, path: string): unknown {
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) {
    if (typeof value[0] === 'string') return value;
    for (let i = 0; i < value.length; i++) value[i] = resolve(value[i], buffer, area, path);
    return value;
  }
  if (isColumn(value)) {
    const type = arrayTypes[value.column];
    if (!type) throw new ReportError(`Column ${path} has the unknown type "${value.column}".`);
    const end = area + value.offset + value.count * type.BYTES_PER_ELEMENT;
    if (!(value.offset >= 0 && value.count >= 0 && end <= buffer.byteLength && value.offset % 8 === 0)) {
      throw new ReportError(
        `Column ${path} ends at byte ${end} of ${buffer.byteLength}: truncated report. ` +
          'Write it again with: sparkprof report RECORDING',
      );
    }
    return new type(buffer, area + value.offset, value.count);
  }
  const object = value as Record<string, unknown>;
  for (const key of Object.keys(object)) object[key] = resolve(object[key], buffer, area, `${path}.${key}`);
  return object;
}

/** Nothing known of it. */
export const emptyExecutor: Executor = { id: '', host: '', totalCores: 0, failedTasks: 0, totalTasks: 0, maxMemory: 0, removeReason: '' };

function emptySamples(): Samples {
  return {
    bucket: new Uint32Array(),
    event: new Uint8Array(),
    stack: new Uint32Array(),
    task: new Int32Array(),
    executor: new Uint16Array(),
    thread: new Uint16Array(),
    category: new Uint8Array(),
    state: new Uint8Array(),
    weight: new Float64Array(),
    count: new Uint32Array(),
  };
}

function emptyTasks(): Tasks {
  return {
    taskId: new Int32Array(),
    stage: new Uint32Array(),
    index: new Uint32Array(),
    attempt: new Uint16Array(),
    executor: new Uint16Array(),
    begin: new Float64Array(),
    end: new Float64Array(),
    status: new Uint8Array(),
    speculative: new Uint8Array(),
    locality: new Uint8Array(),
  };
}

function emptyWallTime(): WallTime {
  return { begin: new Float64Array(), phase: new Uint8Array(), stage: new Int32Array(), line: new Uint32Array(), phases: [], lines: [] };
}

/** Spark gives all stages of a query the same name: what they do comes before it. */
const named = <T extends { work: string; line: string }>(row: T) => ({ ...row, name: [row.work, row.line].filter(Boolean).join(', ') });

/** A missing table is an empty table. */
export function withDefaults(json: Partial<Report>): Report {
  const frames: Frames = {
    name: new Uint32Array(),
    file: new Uint32Array(),
    line: new Uint32Array(),
    kind: new Uint8Array(),
    origin: new Uint8Array(),
  };
  const stacks: Stacks = { parent: new Uint32Array(1), frame: new Uint32Array(1) };
  return {
    version: supportedVersion,
    generator: '',
    summary: {},
    strings: [''],
    bucketMs: 1000,
    events: [],
    metrics: [],
    sql: [],
    executors: [],
    processes: [],
    series: [],
    wall: emptyWallTime(),
    timeSpent: [],
    owners: [],
    ownedShare: null,
    findings: [],
    udfs: [],
    waits: [],
    environment: [],
    notices: [],
    dropped: {},
    application: {
      id: '',
      name: 'unknown application',
      sparkVersion: '',
      startTime: 0,
      endTime: 0,
      complete: false,
      outcome: 'incomplete',
    },
    ...json,
    jobs: json.jobs?.map(named) ?? [],
    stages: json.stages?.map(named) ?? [],
    threads: json.threads?.map(withoutTask) ?? [],
    frames: json.frames ?? frames,
    stacks: json.stacks?.parent?.length ? json.stacks : stacks,
    samples: json.samples?.bucket ? json.samples : emptySamples(),
    tasks: json.tasks?.taskId ? json.tasks : emptyTasks(),
  };
}

/** Spark names a thread after the task that it runs: the last one is no name for all of them. */
const withoutTask = (thread: Thread): Thread =>
  /^Executor task launch worker for task/.test(thread.name) ? { ...thread, name: `Executor task launch worker ${thread.tid}` } : thread;

/** Reads the unpacked bytes. Throws ReportError. */
export function decodeBytes(buffer: ArrayBuffer): Report {
  const head = new TextDecoder().decode(new Uint8Array(buffer, 0, Math.min(8, buffer.byteLength)));
  if (head !== magic || buffer.byteLength < 12) {
    throw new ReportError(
      `The embedded data starts with "${head}", expected "${magic}". ` + 'Write the report again with: sparkprof report RECORDING',
    );
  }
  const length = new DataView(buffer).getUint32(8, true);
  if (12 + length > buffer.byteLength) {
    throw new ReportError(
      `The embedded tables have ${buffer.byteLength - 12} of ${length} bytes: ` +
        'truncated report. Write it again with: sparkprof report RECORDING',
    );
  }
  let json: Partial<Report>;
  try {
    json = JSON.parse(new TextDecoder().decode(new Uint8Array(buffer, 12, length))) as Partial<Report>;
  } catch (error) {
    throw new ReportError(`The embedded tables are not JSON (${(error as Error).message}).`);
  }
  if (json.version !== supportedVersion) {
    throw new ReportError(
      `The data has version ${json.version}, this page supports version ${supportedVersion}. ` +
        'Write the report again with the current sparkprof.',
    );
  }
  const area = Math.ceil((12 + length) / 8) * 8;
  return withDefaults(resolve(json, buffer, area, 'report') as Partial<Report>);
}

/** Decodes the content of the page's data element. Throws ReportError. */
export async function decodeReport(base64: string): Promise<Report> {
  const text = base64.trim();
  if (!text) {
    throw new ReportError('This page contains no recording. Write a report with: sparkprof report RECORDING');
  }
  let unpacked: ArrayBuffer;
  try {
    unpacked = await gunzip(bytesFromBase64(text));
  } catch (error) {
    throw new ReportError(
      `Cannot decompress the embedded data (${(error as Error).message || 'damaged gzip'}): ` +
        'the file is truncated or damaged. Copy it again, or write it again with: sparkprof report RECORDING',
    );
  }
  return decodeBytes(unpacked);
}
