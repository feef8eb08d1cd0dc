// SPDX-License-Identifier: Apache-2.0
#include "fleet/fleet_schema.h"

#include <algorithm>

namespace sparkprof {
namespace {

using enum ParquetType;

constexpr FleetColumn kApplications[] = {
    {{"id", kText}, "Spark's application ID"},
    {{"attempt", kText}, "attempt ID, empty if Spark gave none"},
    {{"name", kText}, "name of the application"},
    {{"user", kText}, "user who ran it"},
    {{"queue", kText}, "YARN queue, or namespace on Kubernetes; null if unknown"},
    {{"start", kTimeMillis}, "start"},
    {{"end", kTimeMillis}, "end; of an application that still runs or was killed, its last event"},
    {{"durationMs", kInteger}, "wall-clock time from start to end"},
    {{"coreHours", kReal}, "cores of the executors × the time that they were there; null if no executor is known"},
    {{"wastedCoreHours", kReal},
     "part of coreHours without a task that succeeded: idle cores, failed and killed tasks"},
    {{"gbHours", kReal}, "memory of the executors (heap and overhead, GB = 2^30 bytes) × the time; null if unknown"},
    {{"cost", kReal}, "by the price file, for coreHours and gbHours; null without a price file"},
    {{"findings", kInteger}, "number of its rows in findings"},
    {{"engine", kText}, "engine that ran operators of its queries: spark, comet, rapids, photon, …"},
    {{"sparkVersion", kText}, "version of Spark"},
    {{"source", kText}, "event log that the row comes from"},
};

constexpr FleetColumn kStages[] = {
    {{"id", kText}, "application ID"},
    {{"attempt", kText}, "application attempt ID"},
    {{"stage", kInteger}, "stage ID", "stageId"},
    {{"stageAttempt", kInteger}, "stage attempt", "attemptId"},
    {{"name", kText}, "name", "name"},
    {{"status", kText}, "running, succeeded, failed, pending or skipped"},
    {{"start", kTimeMillis}, "submission", "submissionTime"},
    {{"end", kTimeMillis}, "completion", "completionTime"},
    {{"durationMs", kInteger}, "from submission to completion", "duration"},
    {{"sql", kInteger}, "SQL execution that it belongs to; null if none", "sqlExecutionId"},
    {{"tasks", kInteger}, "tasks as planned", "numTasks"},
    {{"failedTasks", kInteger}, "tasks that failed or were killed"},
    {{"taskMs", kInteger}, "sum of the durations of its tasks"},
    {{"cpuMs", kInteger}, "CPU time of its tasks, by Spark's count"},
    {{"gcMs", kInteger}, "time of its tasks during garbage collection", "jvmGcTime"},
    {{"numTasks", kInteger}, "tasks as planned, by the name in Spark's REST API, like the next three", "numTasks"},
    {{"executorRunTime", kInteger}, "ms that tasks ran in executors", "executorRunTime"},
    {{"executorCpuTime", kInteger}, "ns of CPU time of its tasks", "executorCpuTime"},
    {{"jvmGcTime", kInteger}, "ms of its tasks during garbage collection", "jvmGcTime"},
    {{"spilledBytes", kInteger}, "bytes spilled to disk", "diskBytesSpilled"},
    {{"inputBytes", kInteger}, "bytes read from storage", "inputBytes"},
    {{"outputBytes", kInteger}, "bytes written to storage", "outputBytes"},
    {{"shuffleReadBytes", kInteger}, "bytes of shuffle read", "shuffleReadBytes"},
    {{"shuffleWriteBytes", kInteger}, "bytes of shuffle written", "shuffleWriteBytes"},
    {{"source", kText}, "event log that the row comes from"},
};

constexpr FleetColumn kQueries[] = {
    {{"id", kText}, "application ID"},
    {{"attempt", kText}, "application attempt ID"},
    {{"sql", kInteger}, "ID of the SQL execution", "id"},
    {{"description", kText}, "description, at most 500 bytes", "description"},
    {{"plan", kText}, "hash of the names of the plan's operators and sources: equal for runs of one query"},
    {{"tables", kText}, "sources that it reads, as a JSON array"},
    {{"status", kText}, "running, succeeded or failed"},
    {{"start", kTimeMillis}, "start", "submissionTime"},
    {{"end", kTimeMillis}, "end", "completionTime"},
    {{"durationMs", kInteger}, "from start to end", "duration"},
    {{"stages", kInteger}, "stages that ran for it"},
    {{"taskHours", kReal}, "sum of the durations of its tasks, in hours: the core-hours that it used"},
    {{"inputBytes", kInteger}, "bytes read from storage"},
    {{"shuffleBytes", kInteger}, "bytes of shuffle written"},
    {{"spilledBytes", kInteger}, "bytes spilled to disk"},
    {{"engine", kText}, "engine that ran some of its operators, or spark"},
    {{"fallbacks", kInteger}, "operators that Spark ran in a plan of which an engine ran others"},
    {{"failure", kText}, "why it failed, at most 500 bytes; null if it did not", "errorMessage"},
    {{"source", kText}, "event log that the row comes from"},
};

constexpr FleetColumn kOperators[] = {
    {{"id", kText}, "application ID"},
    {{"attempt", kText}, "application attempt ID"},
    {{"sql", kInteger}, "ID of the SQL execution"},
    {{"node", kInteger}, "nodeId in Spark's REST API"},
    {{"name", kText}, "name of the operator"},
    {{"engine", kText}, "engine that ran it, or spark"},
    {{"elapsedMs", kReal}, "elapsed time that Spark measured; null if it did not"},
    {{"gpuMs", kReal}, "time that RAPIDS measured"},
    {{"nativeMs", kReal}, "time that a native engine measured"},
    {{"rowsIn", kInteger}, "rows that it read"},
    {{"rowsOut", kInteger}, "rows that it returned"},
    {{"spilledBytes", kInteger}, "bytes that it spilled"},
    {{"fallback", kText},
     "why the engine did not run it; empty if the plan does not show the reason, null if no fallback"},
    {{"source", kText}, "event log that the row comes from"},
};

constexpr FleetColumn kDatasets[] = {
    {{"id", kText}, "application ID"},
    {{"attempt", kText}, "application attempt ID"},
    {{"namespace", kText},
     "namespace by the rules of OpenLineage: s3://lake, file; null without a location",
     "namespace"},
    {{"name", kText}, "path in the namespace, or name of the table", "name"},
    {{"catalogName", kText}, "name in the catalog; null if none", "table"},
    {{"format", kText}, "format or provider: parquet, iceberg, …", "format"},
    {{"reads", kInteger}, "SQL executions that read it", "reads"},
    {{"bytesRead", kInteger}, "bytes that its scans read; null if their metrics lack it", "bytesRead"},
    {{"filesRead", kInteger}, "files that its scans read", "filesRead"},
    {{"rowsRead", kInteger}, "rows that its scans returned", "rowsRead"},
    {{"readMs", kInteger}, "run time of the tasks of stages that scan it", "readRunTime"},
    {{"writes", kInteger}, "SQL executions that write it", "writes"},
    {{"bytesWritten", kInteger}, "bytes written to it", "bytesWritten"},
    {{"filesWritten", kInteger}, "files written to it", "filesWritten"},
    {{"rowsWritten", kInteger}, "rows written to it", "rowsWritten"},
    {{"writeMs", kInteger}, "run time of all tasks of the SQL executions that write it", "writeRunTime"},
    {{"source", kText}, "event log that the row comes from"},
};

constexpr FleetColumn kFindings[] = {
    {{"id", kText}, "application ID"},
    {{"attempt", kText}, "application attempt ID"},
    {{"rule", kText}, "rule, as in docs/findings.md"},
    {{"severity", kText}, "high, medium or low"},
    {{"title", kText}, "headline"},
    {{"what", kText}, "what happens, with figures, at most 500 bytes"},
    {{"change", kText}, "what to change, at most 500 bytes"},
    {{"stage", kInteger}, "stage with the largest saving; null if none"},
    {{"isFailure", kBoolean}, "the job or a part of it failed"},
    {{"confidence", kReal}, "0 to 1: how narrow the range of the saving is"},
    {{"savedMs", kInteger}, "likely saving of wall-clock time; null if unknown"},
    {{"savedShare", kReal},
     "expected saving, the middle of its low and its likely end, as a share of the application's duration"},
    {{"savedCoreHours", kReal},
     "savedShare of the application's core-hours; null if unknown, or if another finding saves the same time"},
    {{"savedGbHours", kReal}, "the same of its GB-hours"},
    {{"savedCost", kReal}, "the same of its cost"},
    {{"source", kText}, "event log that the row comes from"},
};

constexpr FleetColumn kSettings[] = {
    {{"id", kText}, "application ID"},
    {{"attempt", kText}, "application attempt ID"},
    {{"key", kText}, "Spark property"},
    {{"value", kText}, "value, with secrets redacted, at most 500 bytes"},
    {{"source", kText}, "event log that the row comes from"},
};

constexpr FleetColumn kFailures[] = {
    {{"source", kText}, "event log that could not be read"},
    {{"id", kText}, "application ID as far as the name or the content shows it; null if unknown"},
    {{"attempt", kText}, "application attempt ID, likewise"},
    {{"bytes", kInteger}, "size"},
    {{"modified", kTimeMillis}, "last change"},
    {{"reason", kText}, "why"},
};

constexpr FleetTable kTables[] = {
    {"applications", "One row for each application attempt.", kApplications},
    {"stages", "One row for each stage attempt.", kStages},
    {"queries", "One row for each SQL execution.", kQueries},
    {"operators", "One row for each operator of the SQL plans.", kOperators},
    {"datasets", "One row for each table or path that queries read or write.", kDatasets},
    {"findings", "One row for each finding: a problem of an application, and what fixing it saves.", kFindings},
    {"settings", "One row for each Spark property of an application.", kSettings},
    {"failures", "One row for each log that could not be read.", kFailures},
};

}  // namespace

std::span<const FleetTable> FleetTables() { return kTables; }

const FleetTable* FindFleetTable(std::string_view name) {
  const auto* const found =
      std::find_if(std::begin(kTables), std::end(kTables), [&](const FleetTable& table) { return table.name == name; });
  return found == std::end(kTables) ? nullptr : found;
}

}  // namespace sparkprof
