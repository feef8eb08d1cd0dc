// SPDX-License-Identifier: Apache-2.0
// The answer of `sparkprof compare --json`; docs/compare-runs.md describes it.

export interface ComparedRun {
  id: string;
  name: string;
  durationMs: number;
  /** ms since the Unix epoch */
  startTime: number;
  sparkVersion: string;
  executors: number;
  cores: number | null;
  /** of the wall time, without a stage */
  driverMs: number;
  tasks: number;
  taskMs: number;
  cpuMs: number | null;
  gcMs: number;
  inputBytes: number;
  shuffleReadBytes: number;
  shuffleWriteBytes: number;
  spilledBytes: number;
  findings: number;
  /** absent without prices */
  cost?: { total: number; tasks: number; currency: string };
}

export interface RunChange {
  before: ComparedRun;
  after: ComparedRun;
  changePercent: number;
  /** sentences about versions, cores and executors */
  environment: string[];
  /** the largest first */
  causes: { kind: string; stage: number | null; text: string; deltaMs: number }[];
  stages: {
    name: string;
    stagesBefore: number[];
    stagesAfter: number[];
    beforeMs: number;
    afterMs: number;
    tasksBeforeMs: number;
    tasksAfterMs: number;
    causes: string[];
  }[];
  plans: { name: string; sqlBefore: number; sqlAfter: number; beforeMs: number; afterMs: number; gone: string[]; new: string[] }[];
  settings: { name: string; before: string | null; after: string | null }[];
  findings: { gone: ChangedFinding[]; new: ChangedFinding[] };
}
interface ChangedFinding {
  id: string;
  rule: string;
  title: string;
}
