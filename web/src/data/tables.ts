// SPDX-License-Identifier: Apache-2.0
// Rows of tables as the page has them; unknown texts are empty, other unknown values absent. Columns: docs/tables.md.
// src/analysis/tables/table_files_test.cc writes this file.

export interface JobRow {
  jobId: number;
  status: string;
  submissionTime?: number;
  completionTime?: number;
  stageIds: number[];
  sqlExecutionId?: number;
  jobGroup: string;
  jobTags: string[];
  work: string;
  line: string;
  description: string;
  failureReason: string;
}

export interface StageRow {
  stageId: number;
  attemptId: number;
  status: string;
  jobId?: number;
  sqlExecutionId?: number;
  numTasks: number;
  numFailedTasks: number;
  numKilledTasks: number;
  submissionTime?: number;
  completionTime?: number;
  failureReason: string;
  work: string;
  line: string;
  details: string;
}

export interface SqlRow {
  id: number;
  status: string;
  submissionTime?: number;
  completionTime?: number;
  runningJobIds: number[];
  successJobIds: number[];
  failedJobIds: number[];
  description: string;
  errorMessage: string;
  planVersions: unknown[];
}

export interface ExecutorRow {
  id: string;
  host: string;
  totalCores: number;
  failedTasks: number;
  totalTasks: number;
  maxMemory: number;
  addTime?: number;
  removeTime?: number;
  removeReason: string;
  peakMemoryMetrics?: Record<string, number>;
}

export interface StorageRow {
  id: number;
  storageLevel: string;
  numPartitions: number;
  peakMemoryUsed?: number;
  peakDiskUsed?: number;
  evictedBlocks?: number;
  lostBlocks?: number;
  unpersistTime?: number;
  stageIds: number[];
  name: string;
}
