// SPDX-License-Identifier: Apache-2.0
// The data of the fleet's page, as src/fleet/fleet_report.cc writes it. Columns of applications are parallel, by start; null is unknown.

/** Columns of which applications have a number: the place in `values`. */
export const dimensions = ['user', 'queue', 'job', 'engine', 'sparkVersion'] as const;
export type Dimension = (typeof dimensions)[number];

type Numbers = (number | null)[];

export interface FleetQuery {
  job: string;
  description: string | null;
  runs: number;
  core: number | null;
  cost: number | null;
  medianMs: number | null;
  longestMs: number | null;
  spilledBytes: number | null;
  failed: number;
  fallbacks: number | null;
  engine: string;
}

/** base64 of a bit for each application, by its row, first the highest of a byte */
export type RowBits = string;

export interface FleetSource {
  name: string;
  queries: number;
  applications: number;
  core: number | null;
  cost: number | null;
  bytes: number | null;
  bits: RowBits;
}

export interface FleetSetting {
  key: string;
  value: string;
  applications: number;
  core: number | null;
  bits: RowBits;
}

export type FleetData = Record<Dimension, number[]> & {
  /** empty: that of the rows, which have no currency */
  currency: string;
  /** ms since the Unix epoch, like all times */
  generated: number;
  values: Record<Dimension, string[]>;
  id: string[];
  source: string[];
  start: Numbers;
  durationMs: Numbers;
  core: Numbers;
  wasted: Numbers;
  gb: Numbers;
  cost: Numbers;
  inputBytes: Numbers;
  /** of each finding with a known saving: the row of its application, the row of its rule, and what it saves */
  findingApplication: number[];
  findingRule: number[];
  findingCore: Numbers;
  findingGb: Numbers;
  findingCost: Numbers;
  rules: { rule: string; title: string; change: string }[];
  queries: FleetQuery[];
  tables: FleetSource[];
  settings: FleetSetting[];
  failures: { source: string; reason: string }[];
  failed: number;
};
