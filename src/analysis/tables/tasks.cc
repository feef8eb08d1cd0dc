// SPDX-License-Identifier: Apache-2.0
#include "analysis/tables/cells.h"
#include "analysis/tables/tables.h"

namespace sparkprof {
namespace {

std::string_view TaskStatusText(TaskOutcome outcome) {
  if (outcome == TaskOutcome::kSucceeded) return "SUCCESS";
  if (outcome == TaskOutcome::kFailed) return "FAILED";
  return outcome == TaskOutcome::kKilled ? "KILLED" : "RUNNING";
}

Cell LocalityCell(size_t locality) {
  constexpr std::string_view kNames[] = {"PROCESS_LOCAL", "NODE_LOCAL", "NO_PREF", "RACK_LOCAL", "ANY"};
  return locality < std::size(kNames) ? Cell(kNames[locality]) : Cell();
}

}  // namespace

Table TasksTable(const Application& application) {
  using enum ColumnType;
  using enum Visibility;
  const Tasks& tasks = application.tasks;
  const bool known = HasTaskMetrics(tasks);
  // A cell of the task's stage or executor.
  const auto of_stage = [&application](auto cell) {
    return [&application, cell](size_t row) {
      const int32_t stage = application.tasks.stage[row];
      return stage < 0 ? Cell() : cell(application.stages[static_cast<size_t>(stage)]);
    };
  };
  const auto of_executor = [&application](std::string Executor::*member) {
    return [&application, member](size_t row) {
      const int32_t executor = application.tasks.executor[row];
      return executor < 0 ? Cell() : TextCell(application.executors[static_cast<size_t>(executor)].*member);
    };
  };
  const auto millis = [&tasks, known](TaskMetric metric) {
    return [&tasks, known, metric](size_t row) { return known ? MillisCell(tasks.Column(metric)[row]) : Cell(); };
  };
  Table table{.name = "tasks", .rows = tasks.Size(), .columns = {}};
  auto& columns = table.columns;
  columns = {
      {"taskId", "Spark's task ID (TID)", kInteger, kShown, [&tasks](size_t row) { return Cell(tasks.id[row]); },
       ColumnRole::kTask},
      {"status", "RUNNING, SUCCESS, FAILED or KILLED", kText, kShown,
       [&tasks](size_t row) { return Cell(TaskStatusText(tasks.outcome[row])); }},
      {"duration", "from launch to finish", kMillis, kShown,
       [&tasks](size_t row) { return DurationCell(tasks.launch_ns[row], tasks.finish_ns[row]); }},
      {"index", "index within the stage attempt", kInteger, kShown,
       [&tasks](size_t row) { return IdCell(tasks.index[row]); }},
      {"attempt", "attempt of the index, from 0", kInteger, kShown,
       [&tasks](size_t row) { return Cell(int64_t{tasks.attempt[row]}); }},
      {"partitionId", "partition that it computes; -1 if unknown", kInteger, kHidden,
       [&tasks](size_t row) { return Cell(int64_t{tasks.partition[row]}); }},
      {"stageId", "stage", kInteger, kShown, of_stage([](const Stage& stage) { return Cell(stage.id); }),
       ColumnRole::kStage},
      {"stageAttemptId", "stage attempt", kInteger, kShown,
       of_stage([](const Stage& stage) { return Cell(stage.attempt); }), ColumnRole::kStageAttempt},
      {"jobId", "first job that needed the stage", kInteger, kHidden,
       of_stage([](const Stage& stage) { return IdCell(stage.job); }), ColumnRole::kJob},
      {"sqlExecutionId", "SQL execution that the stage belongs to", kInteger, kHidden,
       of_stage([](const Stage& stage) { return IdCell(stage.sql_execution); }), ColumnRole::kSql},
      {"executorId", "executor that ran it", kText, kShown, of_executor(&Executor::id), ColumnRole::kExecutor},
      {"host", "host of the executor", kText, kShown, of_executor(&Executor::host)},
      {"launchTime", "launch by the driver", kTime, kHidden,
       [&tasks](size_t row) { return TimeCell(tasks.launch_ns[row]); }, ColumnRole::kBegin},
      {"finishTime", "finish; null while it runs", kTime, kHidden,
       [&tasks](size_t row) { return TimeCell(tasks.finish_ns[row]); }, ColumnRole::kEnd},
      {"taskLocality", "distance of its data: PROCESS_LOCAL, NODE_LOCAL, NO_PREF, RACK_LOCAL or ANY", kText, kHidden,
       [&tasks](size_t row) { return LocalityCell(tasks.locality[row]); }},
      {"speculative", "it repeats a slow task", kBoolean, kHidden,
       [&tasks](size_t row) { return Cell(tasks.speculative[row] != 0); }},
      {"schedulerDelay", "time of the task outside of the executor: sending it, and its result", kMillis, kHidden,
       millis(TaskMetric::kSchedulerDelay)},
      {"gettingResultTime", "time in which the driver fetched its result", kMillis, kHidden,
       millis(TaskMetric::kGettingResultTime)},
  };
  const auto value = [&tasks](TaskMetric metric, size_t row) { return int64_t{tasks.Column(metric)[row]}; };
  AddTaskMetricColumns(&SparkTaskMetricNames::stage, known, value, &columns);
  columns.push_back({"errorMessage", "why it failed or was killed", kLongText, kShown, [&application](size_t row) {
                       return TextCell(application.profile.strings.Get(application.tasks.reason[row]));
                     }});
  AddTaskMetricColumns(&SparkTaskMetricNames::task, known, value, &columns);
  return table;
}

}  // namespace sparkprof
