// SPDX-License-Identifier: Apache-2.0
#include "analysis/plans/engine_task_metrics.h"
#include "analysis/plans/work_names.h"
#include "analysis/tables/cells.h"
#include "analysis/tables/tables.h"
#include "analysis/tables/task_metric_columns.h"
#include "analysis/time/stage_totals.h"

namespace sparkprof {
namespace {

std::string_view StageStatusText(RunStatus status) {
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

}  // namespace

Table StagesTable(const Application& application) {
  using enum ColumnType;
  using enum Visibility;
  const auto totals = std::make_shared<const std::vector<StageTotals>>(TotalsOfStages(application));
  const auto names = std::make_shared<const WorkNames>(NamesOfWork(application));
  const auto& stages = application.stages;
  // Stages without a task have no tasks' metrics, which is zero.
  const bool known = application.tasks.Size() == 0 || HasTaskMetrics(application.tasks);
  const auto count = [totals](TaskOutcome outcome) {
    return [totals, outcome](size_t row) { return Cell((*totals)[row].count[static_cast<size_t>(outcome)]); };
  };
  Table table{.name = "stages", .rows = stages.size(), .columns = {}};
  auto& columns = table.columns;
  columns = {
      {"stageId", kInteger, kShown, [&stages](size_t row) { return Cell(stages[row].id); }, ColumnRole::kStage},
      {"attemptId", kInteger, kShown, [&stages](size_t row) { return Cell(stages[row].attempt); },
       ColumnRole::kStageAttempt},
      {"status", kText, kShown, [&stages](size_t row) { return Cell(StageStatusText(stages[row].status)); }},
      {"duration", kMillis, kShown,
       [&stages](size_t row) { return DurationCell(stages[row].submit_ns, stages[row].end_ns); }},
      {"jobId", kInteger, kShown, [&stages](size_t row) { return IdCell(stages[row].job); }, ColumnRole::kJob},
      {"sqlExecutionId", kInteger, kHidden, [&stages](size_t row) { return IdCell(stages[row].sql_execution); },
       ColumnRole::kSql},
      {"numTasks", kInteger, kShown, [&stages](size_t row) { return Cell(stages[row].task_count); }},
      {"numActiveTasks", kInteger, kHidden, count(TaskOutcome::kRunning)},
      {"numCompleteTasks", kInteger, kHidden, count(TaskOutcome::kSucceeded)},
      {"numFailedTasks", kInteger, kShown, count(TaskOutcome::kFailed)},
      {"numKilledTasks", kInteger, kHidden, count(TaskOutcome::kKilled)},
      {"submissionTime", kTime, kHidden, [&stages](size_t row) { return TimeCell(stages[row].submit_ns); },
       ColumnRole::kBegin},
      {"firstTaskLaunchedTime", kTime, kHidden,
       [totals](size_t row) { return TimeCell((*totals)[row].first_launch_ns); }},
      {"completionTime", kTime, kHidden, [&stages](size_t row) { return TimeCell(stages[row].end_ns); },
       ColumnRole::kEnd},
      {"failureReason", kLongText, kHidden, [&stages](size_t row) { return TextCell(stages[row].failure); }},
  };
  AddTaskMetricColumns(
      &SparkTaskMetricNames::stage, known,
      [totals](TaskMetric metric, size_t row) { return (*totals)[row].sum[static_cast<size_t>(metric)]; }, &columns);
  const auto engine_time = [&stages](EngineTaskMetric metric) {
    return [&stages, metric](size_t row) { return TenthsOfMillisCell(EngineMetricOf(stages[row], metric)); };
  };
  const auto engine_number = [&stages](EngineTaskMetric metric) {
    return [&stages, metric](size_t row) { return OptionalCell(EngineMetricOf(stages[row], metric)); };
  };
  columns.insert(columns.end(), {{"engineMs", kMillis, kShown, engine_time(EngineTaskMetric::kTime)},
                                 {"engineWaitMs", kMillis, kShown, engine_time(EngineTaskMetric::kWait)},
                                 {"engineRetries", kInteger, kShown, engine_number(EngineTaskMetric::kRetries)},
                                 {"engineRetryMs", kMillis, kShown, engine_time(EngineTaskMetric::kRetryTime)},
                                 {"engineSpillMs", kMillis, kShown, engine_time(EngineTaskMetric::kSpillTime)},
                                 {"engineMemory", kBytes, kHidden, engine_number(EngineTaskMetric::kMemory)}});
  columns.insert(
      columns.end(),
      {{"work", kLongText, kShown, [names](size_t row) { return TextCell(names->stages[row].work); }},
       {"name", kLongText, kShown, [&stages](size_t row) { return TextCell(stages[row].name); }},
       {"details", kLongText, kHidden, [&stages](size_t row) { return TextCell(stages[row].details); }},
       {"resourceProfileId", kInteger, kHidden, [&stages](size_t row) { return Cell(stages[row].resource_profile); }}});
  return table;
}

}  // namespace sparkprof
