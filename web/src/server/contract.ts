// SPDX-License-Identifier: Apache-2.0
// Answers of the server's API, as docs/server-api.md describes them. Times are ms since the Unix epoch.

import type { RunChange } from './run_change.ts';

export type Status = 'running' | 'finished' | 'failed' | 'incomplete';
export const statuses: Status[] = ['running', 'finished', 'failed', 'incomplete'];

export interface Cost {
  total: number;
  currency: string;
}

export interface ListedApplication {
  id: string;
  attempt: string;
  name: string;
  user: string;
  group: string;
  status: Status;
  startTime: number;
  endTime: number | null;
  durationMs: number;
  /** null: unknown */
  tasks: number | null;
  cpuSeconds: number | null;
  findings: number | null;
  /** title of the first finding; empty: none */
  topFinding: string;
  /** the largest likely saving of a finding; null: unknown */
  savingMs: number | null;
  /** of its executors; null: unknown; absent without prices */
  cost?: Cost | null;
  /** how much of the application the totals cover */
  totals: 'complete' | 'partial' | 'unknown';
  /** of the job; empty: unknown */
  version: string;
  sparkVersion: string;
}
export interface ApplicationPage {
  applications: ListedApplication[];
  next: string | null;
  total: number;
}

export interface Group {
  name: string;
  applications: number;
  running: number;
  failed: number;
  firstStart: number;
  lastStart: number;
  cpuSeconds: number;
  /** of the executors of its applications; null: unknown; absent without prices */
  cost?: Cost | null;
}
export interface GroupFinding {
  rule: string;
  severity: 'high' | 'medium' | 'low';
  title: string;
  applications: number;
  last: number;
  latestApplication: string;
  gainSeconds: number;
}
export interface Proof {
  time: number;
  /** of a finding; empty: none */
  finding: string;
  change: string;
  verdict: 'proved' | 'no-difference' | 'slower' | 'different-results' | 'failed';
  text: string;
  /** after minus before; null: not measured */
  deltaMs: { median: number; low: number | null; high: number | null } | null;
}
export interface Proofs {
  proofs: Proof[];
  total: number;
  rules: { rule: string; proofs: number; proved: number }[];
}
export interface AutoVersions {
  /** the job's own values of the settings that are replaced */
  own: Record<string, string>;
  versions: {
    number: number;
    before: number;
    time: number;
    /** empty: the job's own */
    settings: Record<string, string>;
    /** the setting that it changed; empty: a way back */
    changed: string;
    why: string;
    /** IDs of applications */
    runs: string[];
  }[];
  /** an empty value stands for all */
  refused: { key: string; value: string; why: string }[];
}
export interface GroupFunctions {
  event: string;
  unit: string;
  total: number;
  functions: { name: string; self: number; total: number }[];
}
export interface GroupSeries {
  name: string;
  points: [number, number][];
}
export interface Configuration {
  version: number;
  configuration: Record<string, string>;
}

export interface ComparedStage {
  stage: number;
  attempt: number;
  status: string;
  durationMs: number;
  tasks: number;
  failedTasks: number;
  runTimeNs: number;
  cpuTimeNs: number;
  gcTimeNs: number;
  shuffleReadBytes: number;
  shuffleWriteBytes: number;
  spilledBytes: number;
}
export interface Comparison {
  a: ListedApplication;
  b: ListedApplication;
  stages: { name: string; a: ComparedStage | null; b: ComparedStage | null }[];
  settings: { name: string; a: string | null; b: string | null }[];
  /** from b, the baseline, to a */
  change: RunChange;
}
