// SPDX-License-Identifier: Apache-2.0
#include "analysis/event_tables.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <memory>
#include <set>
#include <string>
#include <unordered_map>
#include <utility>

#include "analysis/stage_totals.h"
#include "analysis/storage_level.h"
#include "analysis/work_names.h"
#include "base/json_writer.h"
#include "base/time.h"

namespace sparkprof {
namespace {

constexpr TaskOutcome kOutcomes[] = {TaskOutcome::kRunning, TaskOutcome::kSucceeded, TaskOutcome::kFailed,
                                     TaskOutcome::kKilled};

Cell MillisCell(int64_t nanos) { return nanos / kNanosPerMilli; }
Cell TimeCell(int64_t epoch_ns) { return epoch_ns > 0 ? Cell(epoch_ns / kNanosPerMilli) : Cell(); }
Cell IdCell(int64_t id) { return id >= 0 ? Cell(id) : Cell(); }
Cell TextCell(std::string_view text) { return text.empty() ? Cell() : Cell(text); }
Cell DurationCell(int64_t begin_ns, int64_t end_ns) {
  return begin_ns > 0 && end_ns >= begin_ns ? Cell((end_ns - begin_ns) / kNanosPerMilli) : Cell();
}

// A metric of tasks as REST has it: by its name in a table of tasks or stages, in ms where REST has ms.
struct NamedTaskMetric {
  std::string_view name;
  TaskMetric metric;
  bool millis = false;
};
constexpr NamedTaskMetric kEventTaskMetrics[] = {
    {"executorDeserializeTime", TaskMetric::kDeserializeTime, true},
    {"executorDeserializeCpuTime", TaskMetric::kDeserializeCpuTime},
    {"executorRunTime", TaskMetric::kExecutorRunTime, true},
    {"executorCpuTime", TaskMetric::kExecutorCpuTime},
    {"resultSize", TaskMetric::kResultSize},
    {"jvmGcTime", TaskMetric::kGcTime, true},
    {"resultSerializationTime", TaskMetric::kResultSerializationTime, true},
    {"memoryBytesSpilled", TaskMetric::kMemorySpilled},
    {"diskBytesSpilled", TaskMetric::kDiskSpilled},
    {"peakExecutionMemory", TaskMetric::kPeakExecutionMemory},
    {"inputBytes", TaskMetric::kInputBytes},
    {"inputRecords", TaskMetric::kInputRecords},
    {"outputBytes", TaskMetric::kOutputBytes},
    {"outputRecords", TaskMetric::kOutputRecords},
    {"shuffleFetchWaitTime", TaskMetric::kShuffleFetchWait, true},
    {"shuffleRemoteBytesRead", TaskMetric::kShuffleRemoteBytes},
    {"shuffleReadBytes", TaskMetric::kShuffleReadBytes},
    {"shuffleReadRecords", TaskMetric::kShuffleReadRecords},
    {"shuffleWriteBytes", TaskMetric::kShuffleWriteBytes},
    {"shuffleWriteTime", TaskMetric::kShuffleWriteTime},
    {"shuffleWriteRecords", TaskMetric::kShuffleWriteRecords},
};
// The same as REST nests them in a task.
constexpr NamedTaskMetric kNestedMetrics[] = {
    {"inputMetrics.bytesRead", TaskMetric::kInputBytes},
    {"inputMetrics.recordsRead", TaskMetric::kInputRecords},
    {"outputMetrics.bytesWritten", TaskMetric::kOutputBytes},
    {"outputMetrics.recordsWritten", TaskMetric::kOutputRecords},
    {"shuffleReadMetrics.fetchWaitTime", TaskMetric::kShuffleFetchWait, true},
    {"shuffleReadMetrics.remoteBytesRead", TaskMetric::kShuffleRemoteBytes},
    {"shuffleReadMetrics.recordsRead", TaskMetric::kShuffleReadRecords},
    {"shuffleWriteMetrics.bytesWritten", TaskMetric::kShuffleWriteBytes},
    {"shuffleWriteMetrics.writeTime", TaskMetric::kShuffleWriteTime},
    {"shuffleWriteMetrics.recordsWritten", TaskMetric::kShuffleWriteRecords},
};

std::string_view TaskStatus(TaskOutcome outcome) {
  switch (outcome) {
    case TaskOutcome::kSucceeded:
      return "SUCCESS";
    case TaskOutcome::kFailed:
      return "FAILED";
    case TaskOutcome::kKilled:
      return "KILLED";
    case TaskOutcome::kRunning:
      break;
  }
  return "RUNNING";
}

std::string_view StageStatus(RunStatus status) {
  switch (status) {
    case RunStatus::kSucceeded:
      return "COMPLETE";
    case RunStatus::kFailed:
      return "FAILED";
    case RunStatus::kPending:
      return "PENDING";
    case RunStatus::kSkipped:
      return "SKIPPED";
    case RunStatus::kRunning:
      break;
  }
  return "ACTIVE";
}

std::string_view JobStatus(RunStatus status) {
  if (status == RunStatus::kSucceeded) return "SUCCEEDED";
  return status == RunStatus::kFailed ? "FAILED" : "RUNNING";
}

std::string_view SqlStatus(RunStatus status) {
  if (status == RunStatus::kSucceeded) return "COMPLETED";
  return status == RunStatus::kFailed ? "FAILED" : "RUNNING";
}

Table TaskTable(const Application& application) {
  const Tasks& tasks = application.tasks;
  const auto stage_of = [&application](size_t row) -> const Stage* {
    const int32_t stage = application.tasks.stage[row];
    return stage < 0 ? nullptr : &application.stages[static_cast<size_t>(stage)];
  };
  const auto executor_of = [&application](size_t row) -> const Executor* {
    const int32_t executor = application.tasks.executor[row];
    return executor < 0 ? nullptr : &application.executors[static_cast<size_t>(executor)];
  };
  Table table{.name = "tasks", .rows = tasks.Size(), .columns = {}};
  auto& columns = table.columns;
  columns = {
      {"taskId", [&tasks](size_t row) { return Cell(tasks.id[row]); }},
      {"index", [&tasks](size_t row) { return IdCell(tasks.index[row]); }},
      {"attempt", [&tasks](size_t row) { return Cell(int64_t{tasks.attempt[row]}); }},
      {"partitionId", [&tasks](size_t row) { return Cell(int64_t{tasks.partition[row]}); }},
      {"stageId", [stage_of](size_t row) { return stage_of(row) != nullptr ? Cell(stage_of(row)->id) : Cell(); }},
      {"stageAttemptId",
       [stage_of](size_t row) { return stage_of(row) != nullptr ? Cell(stage_of(row)->attempt) : Cell(); }},
      {"jobId", [stage_of](size_t row) { return stage_of(row) != nullptr ? IdCell(stage_of(row)->job) : Cell(); }},
      {"executorId",
       [executor_of](size_t row) { return executor_of(row) != nullptr ? TextCell(executor_of(row)->id) : Cell(); }},
      {"host",
       [executor_of](size_t row) { return executor_of(row) != nullptr ? TextCell(executor_of(row)->host) : Cell(); }},
      {"launchTime", [&tasks](size_t row) { return TimeCell(tasks.launch_ns[row]); }},
      {"finishTime", [&tasks](size_t row) { return TimeCell(tasks.finish_ns[row]); }},
      {"duration", [&tasks](size_t row) { return DurationCell(tasks.launch_ns[row], tasks.finish_ns[row]); }},
      {"status", [&tasks](size_t row) { return Cell(TaskStatus(tasks.outcome[row])); }},
      {"taskLocality",
       [&tasks](size_t row) {
         constexpr std::string_view kNames[] = {"PROCESS_LOCAL", "NODE_LOCAL", "NO_PREF", "RACK_LOCAL", "ANY"};
         const size_t locality = tasks.locality[row];
         return locality < std::size(kNames) ? Cell(kNames[locality]) : Cell();
       }},
      {"speculative", [&tasks](size_t row) { return Cell(tasks.speculative[row] != 0); }},
      {"schedulerDelay", [&tasks](size_t row) { return MillisCell(tasks.Column(TaskMetric::kSchedulerDelay)[row]); }},
      {"gettingResultTime",
       [&tasks](size_t row) { return MillisCell(tasks.Column(TaskMetric::kGettingResultTime)[row]); }},
  };
  const auto add = [&](const NamedTaskMetric& metric) {
    columns.push_back({std::string(metric.name), [&tasks, metric](size_t row) {
                         const int64_t value = tasks.Column(metric.metric)[row];
                         return metric.millis ? MillisCell(value) : Cell(value);
                       }});
    if (metric.metric != TaskMetric::kShuffleRemoteBytes) return;
    const std::string local =
        metric.name.find('.') == std::string_view::npos ? "shuffleLocalBytesRead" : "shuffleReadMetrics.localBytesRead";
    columns.push_back({local, [&tasks](size_t row) {
                         return Cell(tasks.Column(TaskMetric::kShuffleReadBytes)[row] -
                                     tasks.Column(TaskMetric::kShuffleRemoteBytes)[row]);
                       }});
  };
  for (const NamedTaskMetric& metric : kEventTaskMetrics) add(metric);
  columns.push_back({"errorMessage", [&application](size_t row) {
                       return TextCell(application.profile.strings.Get(application.tasks.reason[row]));
                     }});
  for (const NamedTaskMetric& metric : kNestedMetrics) add(metric);
  return table;
}

Table StageTable(const Application& application) {
  const auto totals = std::make_shared<const std::vector<StageTotals>>(TotalsOfStages(application));
  const auto& stages = application.stages;
  const auto count = [totals](TaskOutcome outcome) {
    return [totals, outcome](size_t row) { return Cell((*totals)[row].count[static_cast<size_t>(outcome)]); };
  };
  Table table{.name = "stages", .rows = stages.size(), .columns = {}};
  auto& columns = table.columns;
  columns = {
      {"status", [&stages](size_t row) { return Cell(StageStatus(stages[row].status)); }},
      {"stageId", [&stages](size_t row) { return Cell(stages[row].id); }},
      {"attemptId", [&stages](size_t row) { return Cell(stages[row].attempt); }},
      {"jobId", [&stages](size_t row) { return IdCell(stages[row].job); }},
      {"sqlExecutionId", [&stages](size_t row) { return IdCell(stages[row].sql_execution); }},
      {"numTasks", [&stages](size_t row) { return Cell(stages[row].task_count); }},
      {"numActiveTasks", count(TaskOutcome::kRunning)},
      {"numCompleteTasks", count(TaskOutcome::kSucceeded)},
      {"numFailedTasks", count(TaskOutcome::kFailed)},
      {"numKilledTasks", count(TaskOutcome::kKilled)},
      {"submissionTime", [&stages](size_t row) { return TimeCell(stages[row].submit_ns); }},
      {"firstTaskLaunchedTime", [totals](size_t row) { return TimeCell((*totals)[row].first_launch_ns); }},
      {"completionTime", [&stages](size_t row) { return TimeCell(stages[row].end_ns); }},
      {"duration", [&stages](size_t row) { return DurationCell(stages[row].submit_ns, stages[row].end_ns); }},
      {"failureReason", [&stages](size_t row) { return TextCell(stages[row].failure); }},
  };
  for (const NamedTaskMetric& metric : kEventTaskMetrics) {
    columns.push_back({std::string(metric.name), [totals, metric](size_t row) {
                         const int64_t sum = (*totals)[row].sum[static_cast<size_t>(metric.metric)];
                         return metric.millis ? MillisCell(sum) : Cell(sum);
                       }});
    if (metric.metric != TaskMetric::kShuffleRemoteBytes) continue;
    columns.push_back({"shuffleLocalBytesRead", [totals](size_t row) {
                         const auto& sum = (*totals)[row].sum;
                         return Cell(sum[static_cast<size_t>(TaskMetric::kShuffleReadBytes)] -
                                     sum[static_cast<size_t>(TaskMetric::kShuffleRemoteBytes)]);
                       }});
  }
  const auto names = std::make_shared<const WorkNames>(NamesOfWork(application));
  columns.push_back({"name", [&stages](size_t row) { return TextCell(stages[row].name); }});
  columns.push_back({"details", [&stages](size_t row) { return TextCell(stages[row].details); }});
  columns.push_back({"resourceProfileId", [&stages](size_t row) { return Cell(stages[row].resource_profile); }});
  columns.push_back({"work", [names](size_t row) { return TextCell(names->stages[row].work); }});
  return table;
}

Table JobTable(const Application& application) {
  const auto totals = std::make_shared<const std::vector<JobTotals>>(TotalsOfJobs(application));
  const auto& jobs = application.jobs;
  const auto total = [totals](int64_t JobTotals::*member) {
    return [totals, member](size_t row) { return Cell((*totals)[row].*member); };
  };
  // The lists of ids as texts, made once.
  const auto stage_ids = std::make_shared<std::vector<std::string>>();
  for (const Job& job : jobs) stage_ids->push_back(fmt::format("[{}]", fmt::join(job.stages, ",")));
  const auto names = std::make_shared<const WorkNames>(NamesOfWork(application));
  return {.name = "jobs",
          .rows = jobs.size(),
          .columns = {
              {"jobId", [&jobs](size_t row) { return Cell(jobs[row].id); }},
              {"name", [&jobs](size_t row) { return TextCell(jobs[row].name); }},
              {"description", [&jobs](size_t row) { return TextCell(jobs[row].description); }},
              {"submissionTime", [&jobs](size_t row) { return TimeCell(jobs[row].submit_ns); }},
              {"completionTime", [&jobs](size_t row) { return TimeCell(jobs[row].end_ns); }},
              {"duration", [&jobs](size_t row) { return DurationCell(jobs[row].submit_ns, jobs[row].end_ns); }},
              {"stageIds", [stage_ids](size_t row) { return Cell(std::string_view((*stage_ids)[row])); }},
              {"jobGroup", [&jobs](size_t row) { return TextCell(jobs[row].group); }},
              {"status", [&jobs](size_t row) { return Cell(JobStatus(jobs[row].status)); }},
              {"failureReason", [&jobs](size_t row) { return TextCell(jobs[row].failure); }},
              {"sqlExecutionId", [&jobs](size_t row) { return IdCell(jobs[row].sql_execution); }},
              {"numTasks", total(&JobTotals::tasks)},
              {"numActiveTasks", total(&JobTotals::active_tasks)},
              {"numCompletedTasks", total(&JobTotals::completed_tasks)},
              {"numSkippedTasks", total(&JobTotals::skipped_tasks)},
              {"numFailedTasks", total(&JobTotals::failed_tasks)},
              {"numKilledTasks", total(&JobTotals::killed_tasks)},
              {"numActiveStages", total(&JobTotals::active_stages)},
              {"numCompletedStages", total(&JobTotals::completed_stages)},
              {"numSkippedStages", total(&JobTotals::skipped_stages)},
              {"numFailedStages", total(&JobTotals::failed_stages)},
              {"work", [names](size_t row) { return TextCell(names->jobs[row].work); }},
          }};
}

Table ExecutorTable(const Application& application) {
  const auto totals = std::make_shared<const std::vector<ExecutorTotals>>(TotalsOfExecutors(application));
  const auto& executors = application.executors;
  const auto count = [totals](TaskOutcome outcome) {
    return [totals, outcome](size_t row) { return Cell((*totals)[row].count[static_cast<size_t>(outcome)]); };
  };
  const auto total = [totals](int64_t ExecutorTotals::*member, bool millis) {
    return [totals, member, millis](size_t row) {
      return millis ? MillisCell((*totals)[row].*member) : Cell((*totals)[row].*member);
    };
  };
  Table table{.name = "executors", .rows = executors.size(), .columns = {}};
  auto& columns = table.columns;
  columns = {
      {"id", [&executors](size_t row) { return Cell(std::string_view(executors[row].id)); }},
      {"host", [&executors](size_t row) { return TextCell(executors[row].host); }},
      // Like in REST, an application's end removes no executor.
      {"isActive", [&executors](size_t row) { return Cell(executors[row].remove_ns == 0); }},
      {"totalCores", [&executors](size_t row) { return Cell(executors[row].cores); }},
      {"activeTasks", count(TaskOutcome::kRunning)},
      {"completedTasks", count(TaskOutcome::kSucceeded)},
      {"failedTasks", count(TaskOutcome::kFailed)},
      {"killedTasks", count(TaskOutcome::kKilled)},
      {"totalTasks",
       [totals](size_t row) {
         int64_t sum = 0;
         for (const TaskOutcome outcome : kOutcomes) sum += (*totals)[row].count[static_cast<size_t>(outcome)];
         return Cell(sum);
       }},
      {"totalDuration", total(&ExecutorTotals::duration_ns, true)},
      {"totalGCTime", total(&ExecutorTotals::gc_ns, true)},
      {"totalInputBytes", total(&ExecutorTotals::input_bytes, false)},
      {"totalShuffleRead", total(&ExecutorTotals::shuffle_read_bytes, false)},
      {"totalShuffleWrite", total(&ExecutorTotals::shuffle_write_bytes, false)},
      {"maxMemory", [&executors](size_t row) { return Cell(executors[row].max_memory_bytes); }},
      {"addTime", [&executors](size_t row) { return TimeCell(executors[row].add_ns); }},
      {"removeTime", [&executors](size_t row) { return TimeCell(executors[row].remove_ns); }},
      {"removeReason", [&executors](size_t row) { return TextCell(executors[row].remove_reason); }},
      {"resourceProfileId", [&executors](size_t row) { return Cell(executors[row].resource_profile); }},
  };
  std::vector<std::string> peaks;
  for (const Executor& executor : executors) {
    for (const auto& [name, value] : executor.peak_metrics) {
      if (std::find(peaks.begin(), peaks.end(), name) == peaks.end()) peaks.push_back(name);
    }
  }
  for (const std::string& peak : peaks) {
    columns.push_back({"peakMemoryMetrics." + peak, [&executors, peak](size_t row) {
                         for (const auto& [name, value] : executors[row].peak_metrics) {
                           if (name == peak) return Cell(value);
                         }
                         return Cell();
                       }});
  }
  return table;
}

// Plan nodes and edges as REST has them, in preorder.
void WritePlan(const PlanNode& node, int64_t parent, int64_t* next, JsonWriter* nodes, JsonWriter* edges) {
  const int64_t id = (*next)++;
  nodes->BeginObject().Member("nodeId", id).Member("nodeName", node.name).Key("metrics").BeginArray();
  for (const PlanMetric& metric : node.metrics) {
    nodes->BeginObject().Member("name", metric.name).Member("type", metric.type).Key("value");
    if (metric.has_value) {
      nodes->Value(metric.value);
    } else {
      nodes->Null();
    }
    nodes->EndObject();
  }
  nodes->EndArray().EndObject();
  if (parent >= 0) edges->BeginObject().Member("fromId", id).Member("toId", parent).EndObject();
  for (const PlanNode& child : node.children) WritePlan(child, id, next, nodes, edges);
}

struct SqlTexts {
  std::string running_jobs, success_jobs, failed_jobs;
  std::string nodes, edges;
  std::string versions;
};

std::string VersionsJson(const std::vector<PlanVersion>& versions) {
  JsonWriter json;
  json.BeginArray();
  for (const PlanVersion& version : versions) {
    json.BeginObject().Key("afterStage");
    if (version.after_stage >= 0) {
      json.Value(version.after_stage);
    } else {
      json.Null();
    }
    json.Key("changes").BeginArray();
    for (const std::string& change : version.changes) json.Value(change);
    json.EndArray().EndObject();
  }
  return json.EndArray().Take();
}

SqlTexts TextsOf(const SqlExecution& execution, const std::unordered_map<int64_t, RunStatus>& status_of_job) {
  std::vector<int64_t> running, success, failed;
  for (const int64_t job : execution.jobs) {
    const auto found = status_of_job.find(job);
    const RunStatus status = found == status_of_job.end() ? RunStatus::kRunning : found->second;
    (status == RunStatus::kSucceeded ? success : status == RunStatus::kFailed ? failed : running).push_back(job);
  }
  JsonWriter nodes, edges;
  nodes.BeginArray();
  edges.BeginArray();
  int64_t next = 0;
  if (!execution.plan.name.empty()) WritePlan(execution.plan, -1, &next, &nodes, &edges);
  nodes.EndArray();
  edges.EndArray();
  return {fmt::format("[{}]", fmt::join(running, ",")),
          fmt::format("[{}]", fmt::join(success, ",")),
          fmt::format("[{}]", fmt::join(failed, ",")),
          nodes.Take(),
          edges.Take(),
          VersionsJson(execution.plan_versions)};
}

Table SqlTable(const Application& application) {
  const auto& executions = application.sql_executions;
  std::unordered_map<int64_t, RunStatus> status_of_job;
  for (const Job& job : application.jobs) status_of_job.emplace(job.id, job.status);
  const auto texts = std::make_shared<std::vector<SqlTexts>>();
  for (const SqlExecution& execution : executions) texts->push_back(TextsOf(execution, status_of_job));
  const auto text = [texts](std::string SqlTexts::*member) {
    return [texts, member](size_t row) { return Cell(std::string_view((*texts)[row].*member)); };
  };
  return {.name = "sql",
          .rows = executions.size(),
          .columns = {
              {"id", [&executions](size_t row) { return Cell(executions[row].id); }},
              {"rootExecutionId", [&executions](size_t row) { return IdCell(executions[row].root_id); }},
              {"status", [&executions](size_t row) { return Cell(SqlStatus(executions[row].status)); }},
              {"description", [&executions](size_t row) { return TextCell(executions[row].description); }},
              {"submissionTime", [&executions](size_t row) { return TimeCell(executions[row].start_ns); }},
              {"completionTime", [&executions](size_t row) { return TimeCell(executions[row].end_ns); }},
              {"duration",
               [&executions](size_t row) { return DurationCell(executions[row].start_ns, executions[row].end_ns); }},
              {"runningJobIds", text(&SqlTexts::running_jobs)},
              {"successJobIds", text(&SqlTexts::success_jobs)},
              {"failedJobIds", text(&SqlTexts::failed_jobs)},
              {"errorMessage", [&executions](size_t row) { return TextCell(executions[row].failure); }},
              {"planDescription", [&executions](size_t row) { return TextCell(executions[row].plan_text); }},
              {"nodes", text(&SqlTexts::nodes)},
              {"edges", text(&SqlTexts::edges)},
              {"planVersions", text(&SqlTexts::versions)},
          }};
}

Table StorageTable(const Application& application) {
  const auto& rdds = application.cached_rdds;
  const auto stages = std::make_shared<std::vector<std::string>>();
  const auto levels = std::make_shared<std::vector<std::string>>();
  for (const CachedRdd& rdd : rdds) {
    stages->push_back(fmt::format("[{}]", fmt::join(rdd.stages, ",")));
    levels->push_back(StorageLevelText(rdd));
  }
  // Without updates of blocks, nothing is known of what was stored.
  const auto stored = [&rdds](int64_t StoredBlocks::*member) {
    return [&rdds, member](size_t row) {
      return rdds[row].stored.empty() ? Cell() : Cell(rdds[row].stored.back().*member);
    };
  };
  const auto known = [&rdds](int64_t CachedRdd::*member) {
    return [&rdds, member](size_t row) { return rdds[row].stored.empty() ? Cell() : Cell(rdds[row].*member); };
  };
  return {
      .name = "storage",
      .rows = rdds.size(),
      .columns = {
          {"id", [&rdds](size_t row) { return Cell(rdds[row].id); }},
          {"name", [&rdds](size_t row) { return TextCell(rdds[row].name); }},
          {"storageLevel", [levels](size_t row) { return Cell(std::string_view((*levels)[row])); }},
          {"numPartitions", [&rdds](size_t row) { return Cell(rdds[row].partition_count); }},
          {"numCachedPartitions", stored(&StoredBlocks::partitions)},
          {"memoryUsed", stored(&StoredBlocks::memory_bytes)},
          {"diskUsed", stored(&StoredBlocks::disk_bytes)},
          {"peakMemoryUsed", known(&CachedRdd::peak_memory_bytes)},
          {"peakDiskUsed", known(&CachedRdd::peak_disk_bytes)},
          {"evictedBlocks", known(&CachedRdd::evicted_blocks)},
          {"lostBlocks", known(&CachedRdd::lost_blocks)},
          {"cachedTime",
           [&rdds](size_t row) { return rdds[row].stored.empty() ? Cell() : TimeCell(rdds[row].stored[0].time_ns); }},
          {"unpersistTime", [&rdds](size_t row) { return TimeCell(rdds[row].unpersist_ns); }},
          {"stageIds", [stages](size_t row) { return Cell(std::string_view((*stages)[row])); }},
      }};
}

Table StreamingTable(const Application& application) {
  const auto& batches = application.streaming_batches;
  const auto query_of = [&application](size_t row) -> const StreamingQuery& {
    return application.streaming_queries[static_cast<size_t>(application.streaming_batches[row].query)];
  };
  Table table{.name = "streaming", .rows = batches.size(), .columns = {}};
  auto& columns = table.columns;
  columns = {
      {"name", [query_of](size_t row) { return TextCell(query_of(row).name); }},
      {"id", [query_of](size_t row) { return TextCell(query_of(row).id); }},
      {"runId", [query_of](size_t row) { return TextCell(query_of(row).run_id); }},
      {"batchId", [&batches](size_t row) { return IdCell(batches[row].id); }},
      {"timestamp", [&batches](size_t row) { return TimeCell(batches[row].start_ns); }},
      {"batchDuration", [&batches](size_t row) { return MillisCell(batches[row].duration_ns); }},
      {"numInputRows", [&batches](size_t row) { return Cell(batches[row].input_rows); }},
      {"inputRowsPerSecond", [&batches](size_t row) { return Cell(batches[row].input_rows_per_second); }},
      {"processedRowsPerSecond", [&batches](size_t row) { return Cell(batches[row].processed_rows_per_second); }},
      {"stateRows", [&batches](size_t row) { return Cell(batches[row].state_rows); }},
      {"stateMemoryBytes", [&batches](size_t row) { return Cell(batches[row].state_bytes); }},
      {"offsetsBehindLatest", [&batches](size_t row) { return IdCell(batches[row].offsets_behind); }},
      {"watermark", [&batches](size_t row) { return TimeCell(batches[row].watermark_ns); }},
  };
  std::set<std::string> phases;
  for (const StreamingBatch& batch : batches) {
    for (const auto& [phase, duration_ns] : batch.phases_ns) phases.insert(phase);
  }
  for (const std::string& phase : phases) {
    columns.push_back({"durationMs." + phase, [&batches, phase](size_t row) {
                         for (const auto& [name, duration_ns] : batches[row].phases_ns) {
                           if (name == phase) return MillisCell(duration_ns);
                         }
                         return Cell();
                       }});
  }
  columns.push_back({"exception", [query_of](size_t row) { return TextCell(query_of(row).failure); }});
  return table;
}

Table EnvironmentTable(const Application& application) {
  struct Row {
    std::string_view group, name, value;
  };
  const auto rows = std::make_shared<std::vector<Row>>();
  for (const auto& [group, settings] : application.environment) {
    for (const auto& [name, value] : settings) rows->push_back({group, name, value});
  }
  for (const ResourceProfile& profile : application.resource_profiles) {
    for (const auto& [name, amount] : profile.requests) rows->push_back({profile.name, name, amount});
  }
  return {.name = "environment",
          .rows = rows->size(),
          .columns = {{"group", [rows](size_t row) { return Cell((*rows)[row].group); }},
                      {"name", [rows](size_t row) { return Cell((*rows)[row].name); }},
                      {"value", [rows](size_t row) { return Cell((*rows)[row].value); }}}};
}

bool HasMetrics(const Tasks& tasks) {
  return std::any_of(std::begin(kEventTaskMetrics), std::end(kEventTaskMetrics),
                     [&tasks](const NamedTaskMetric& metric) {
                       const MetricColumn& column = tasks.Column(metric.metric);
                       for (size_t row = 0; row < tasks.Size(); ++row) {
                         if (column[row] != 0) return true;
                       }
                       return false;
                     });
}

bool IsMetric(std::string_view column) {
  constexpr std::string_view kOthers[] = {
      "schedulerDelay", "gettingResultTime", "shuffleLocalBytesRead", "shuffleReadMetrics.localBytesRead",
      "totalGCTime",    "totalInputBytes",   "totalShuffleRead",      "totalShuffleWrite"};
  const auto is_it = [&](const NamedTaskMetric& metric) { return metric.name == column; };
  return std::any_of(std::begin(kEventTaskMetrics), std::end(kEventTaskMetrics), is_it) ||
         std::any_of(std::begin(kNestedMetrics), std::end(kNestedMetrics), is_it) ||
         std::find(std::begin(kOthers), std::end(kOthers), column) != std::end(kOthers);
}

// Text logs have no task metrics: show them as unknown, not zero.
Table WithKnownMetrics(Table table, const Application& application) {
  if (application.tasks.Size() == 0 || HasMetrics(application.tasks)) return table;
  for (TableColumn& column : table.columns) {
    if (IsMetric(column.name)) column.cell = [](size_t) { return Cell(); };
  }
  return table;
}

}  // namespace

Result<Table> EventTable(const Application& application, std::string_view name) {
  if (name == "tasks") return WithKnownMetrics(TaskTable(application), application);
  if (name == "stages") return WithKnownMetrics(StageTable(application), application);
  if (name == "jobs") return JobTable(application);
  if (name == "executors") return WithKnownMetrics(ExecutorTable(application), application);
  if (name == "sql") return SqlTable(application);
  if (name == "storage") return StorageTable(application);
  if (name == "streaming") return StreamingTable(application);
  if (name == "environment") return EnvironmentTable(application);
  return Fail(fmt::format("unknown table '{}'; use one of {}", name, fmt::join(kEventTables, ", ")));
}

std::vector<std::string_view> ShownColumns(std::string_view table) {
  if (table == "tasks") {
    return {
        "taskId", "stageId",  "stageAttemptId",  "index",     "attempt",    "executorId",       "host",
        "status", "duration", "executorRunTime", "jvmGcTime", "inputBytes", "shuffleReadBytes", "shuffleWriteBytes"};
  }
  if (table == "stages") {
    return {"stageId",
            "attemptId",
            "status",
            "jobId",
            "numTasks",
            "numFailedTasks",
            "duration",
            "executorRunTime",
            "inputBytes",
            "shuffleReadBytes",
            "shuffleWriteBytes",
            "work",
            "name"};
  }
  if (table == "jobs") return {"jobId", "status", "duration", "numTasks", "numFailedTasks", "stageIds", "work", "name"};
  if (table == "executors") {
    return {"id",          "host",          "totalCores",  "completedTasks",
            "failedTasks", "totalDuration", "totalGCTime", "removeReason"};
  }
  if (table == "sql") return {"id", "status", "duration", "successJobIds", "failedJobIds", "description"};
  if (table == "storage") {
    return {"id",
            "storageLevel",
            "numPartitions",
            "numCachedPartitions",
            "peakMemoryUsed",
            "peakDiskUsed",
            "evictedBlocks",
            "stageIds",
            "name"};
  }
  if (table == "streaming") {
    return {"name",
            "batchId",
            "timestamp",
            "batchDuration",
            "numInputRows",
            "inputRowsPerSecond",
            "processedRowsPerSecond",
            "stateRows"};
  }
  return {"group", "name", "value"};
}

}  // namespace sparkprof
