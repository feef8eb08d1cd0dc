// SPDX-License-Identifier: Apache-2.0
#include "analysis/plans/engine_times.h"
#include "analysis/plans/work_names.h"
#include "analysis/tables/cells.h"
#include "analysis/tables/tables.h"
#include "analysis/time/stage_totals.h"

namespace sparkprof {
namespace {

std::string_view StageStatusText(RunStatus status) {
  if (status == RunStatus::kSucceeded) return "COMPLETE";
  if (status == RunStatus::kFailed) return "FAILED";
  if (status == RunStatus::kPending) return "PENDING";
  return status == RunStatus::kSkipped ? "SKIPPED" : "ACTIVE";
}

}  // namespace

Table StagesTable(const Application& application) {
  using enum ColumnType;
  using enum Visibility;
  const auto totals = std::make_shared<const std::vector<StageTotals>>(TotalsOfStages(application));
  const auto name = [&application,
                     names = std::make_shared<std::optional<WorkNames>>()](std::string WorkName::*member) {
    return [&application, names, member](size_t row) {
      if (!*names) *names = NamesOfWork(application);
      return TextCell((*names)->stages[row].*member);
    };
  };
  const auto& stages = application.stages;
  const MemberCells of(&stages);
  // Stages without a task have no tasks' metrics, which is zero.
  const bool known = application.tasks.Size() == 0 || HasTaskMetrics(application.tasks);
  const auto count = [totals](TaskOutcome outcome) {
    return [totals, outcome](size_t row) { return Cell((*totals)[row].count[static_cast<size_t>(outcome)]); };
  };
  Table table{.name = "stages", .rows = stages.size(), .columns = {}};
  auto& columns = table.columns;
  columns = {
      {"stageId", "ID of the stage", kInteger, kEverywhere, of.Value(&Stage::id), ColumnRole::kStage},
      {"attemptId", "attempt of the stage, from 0", kInteger, kEverywhere, of.Value(&Stage::attempt),
       ColumnRole::kStageAttempt},
      {"status", "ACTIVE, COMPLETE, FAILED, PENDING or SKIPPED", kText, kEverywhere,
       of.Of([](const Stage& stage) { return StageStatusText(stage.status); })},
      {"duration", "from submission to completion", kMillis, kShown, of.Duration(&Stage::submit_ns, &Stage::end_ns)},
      {"jobId", "first job that needed it", kInteger, kEverywhere, of.Id(&Stage::job), ColumnRole::kJob},
      {"sqlExecutionId", "SQL execution that it belongs to", kInteger, kOnPage, of.Id(&Stage::sql_execution),
       ColumnRole::kSql},
      {"numTasks", "tasks as planned", kInteger, kEverywhere, of.Value(&Stage::task_count)},
      {"numActiveTasks", "tasks that run", kInteger, kHidden, count(TaskOutcome::kRunning)},
      {"numCompleteTasks", "tasks that succeeded", kInteger, kHidden, count(TaskOutcome::kSucceeded)},
      {"numFailedTasks", "tasks that failed, or ran again because their output was lost", kInteger, kEverywhere,
       count(TaskOutcome::kFailed)},
      {"numKilledTasks", "tasks that were killed", kInteger, kOnPage, count(TaskOutcome::kKilled)},
      {"submissionTime", "submission; null if it did not run", kTime, kOnPage, of.Time(&Stage::submit_ns),
       ColumnRole::kBegin},
      {"firstTaskLaunchedTime", "launch of its first task", kTime, kHidden,
       [totals](size_t row) { return TimeCell((*totals)[row].first_launch_ns); }},
      {"completionTime", "completion; null while it runs", kTime, kOnPage, of.Time(&Stage::end_ns), ColumnRole::kEnd},
      {"failureReason", "why it failed", kLongText, kOnPage, of.Text(&Stage::failure)},
  };
  AddTaskMetricColumns(
      &SparkTaskMetricNames::stage, known,
      [totals](TaskMetric metric, size_t row) { return (*totals)[row].sum[static_cast<size_t>(metric)]; }, &columns);
  const auto engine_time = [&of](EngineTaskMetric metric) {
    return of.Of([metric](const Stage& stage) { return TenthsOfMillisCell(EngineMetricOf(stage, metric)); });
  };
  const auto engine_number = [&of](EngineTaskMetric metric) {
    return of.Of([metric](const Stage& stage) { return OptionalCell(EngineMetricOf(stage, metric)); });
  };
  columns.insert(
      columns.end(),
      {{"engineMs", "time of its tasks on the GPU, by the engine", kMillis, kShown,
        engine_time(EngineTaskMetric::kTime)},
       {"engineWaitMs", "time that its tasks waited for the GPU", kMillis, kShown,
        engine_time(EngineTaskMetric::kWait)},
       {"engineRetries", "times that the engine ran a part again for lack of memory", kInteger, kShown,
        engine_number(EngineTaskMetric::kRetries)},
       {"engineRetryMs", "time of parts that ran again", kMillis, kShown, engine_time(EngineTaskMetric::kRetryTime)},
       {"engineSpillMs", "time of moving data out of the engine's memory", kMillis, kShown,
        engine_time(EngineTaskMetric::kSpillTime)},
       {"engineMemory", "most memory of the engine in a task", kBytes, kHidden,
        engine_number(EngineTaskMetric::kMemory)},
       {"work", "operators that ran in it, in the order of the data", kLongText, kEverywhere, name(&WorkName::work)},
       {"line", "call and line of the program that started it, or what stands for them", kLongText, kOnPage,
        name(&WorkName::line)},
       {"name", "call and line of the program", kLongText, kShown, of.Text(&Stage::name)},
       {"details", "call stack of the program", kLongText, kOnPage, of.Text(&Stage::details)},
       {"resourceProfileId", "resource profile; 0 is the default", kInteger, kHidden,
        of.Value(&Stage::resource_profile)}});
  return table;
}

}  // namespace sparkprof
