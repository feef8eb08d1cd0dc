// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "analysis/plans/work_names.h"
#include "analysis/tables/cells.h"
#include "analysis/tables/tables.h"
#include "analysis/time/stage_totals.h"
#include "base/json_writer.h"

namespace sparkprof {
namespace {

std::string_view JobStatusText(RunStatus status) {
  if (status == RunStatus::kSucceeded) return "SUCCEEDED";
  return status == RunStatus::kFailed ? "FAILED" : "RUNNING";
}

}  // namespace

Table JobsTable(const Application& application) {
  using enum ColumnType;
  using enum Visibility;
  const auto totals = std::make_shared<const std::vector<JobTotals>>(TotalsOfJobs(application));
  const auto names = std::make_shared<const WorkNames>(NamesOfWork(application));
  const auto& jobs = application.jobs;
  const auto total = [totals](int64_t JobTotals::*member) {
    return [totals, member](size_t row) { return Cell((*totals)[row].*member); };
  };
  const auto text = [&jobs](std::string Job::*member) {
    return [&jobs, member](size_t row) { return TextCell(jobs[row].*member); };
  };
  const auto stage_ids = std::make_shared<std::vector<std::string>>();
  const auto tags = std::make_shared<std::vector<std::string>>();
  for (const Job& job : jobs) {
    stage_ids->push_back(fmt::format("[{}]", fmt::join(job.stages, ",")));
    JsonWriter list;
    list.BeginArray();
    for (const std::string& tag : job.tags) list.Value(tag);
    tags->push_back(list.EndArray().Take());
  }
  return {.name = "jobs",
          .rows = jobs.size(),
          .columns = {
              {"jobId", kInteger, kShown, [&jobs](size_t row) { return Cell(jobs[row].id); }, ColumnRole::kJob},
              {"status", kText, kShown, [&jobs](size_t row) { return Cell(JobStatusText(jobs[row].status)); }},
              {"duration", kMillis, kShown,
               [&jobs](size_t row) { return DurationCell(jobs[row].submit_ns, jobs[row].end_ns); }},
              {"submissionTime", kTime, kHidden, [&jobs](size_t row) { return TimeCell(jobs[row].submit_ns); },
               ColumnRole::kBegin},
              {"completionTime", kTime, kHidden, [&jobs](size_t row) { return TimeCell(jobs[row].end_ns); },
               ColumnRole::kEnd},
              {"numTasks", kInteger, kShown, total(&JobTotals::tasks)},
              {"numActiveTasks", kInteger, kHidden, total(&JobTotals::active_tasks)},
              {"numCompletedTasks", kInteger, kHidden, total(&JobTotals::completed_tasks)},
              {"numSkippedTasks", kInteger, kHidden, total(&JobTotals::skipped_tasks)},
              {"numFailedTasks", kInteger, kShown, total(&JobTotals::failed_tasks)},
              {"numKilledTasks", kInteger, kHidden, total(&JobTotals::killed_tasks)},
              {"stageIds", kJson, kShown, TextCells(stage_ids), ColumnRole::kStage},
              {"numActiveStages", kInteger, kHidden, total(&JobTotals::active_stages)},
              {"numCompletedStages", kInteger, kHidden, total(&JobTotals::completed_stages)},
              {"numSkippedStages", kInteger, kHidden, total(&JobTotals::skipped_stages)},
              {"numFailedStages", kInteger, kHidden, total(&JobTotals::failed_stages)},
              {"sqlExecutionId", kInteger, kHidden, [&jobs](size_t row) { return IdCell(jobs[row].sql_execution); },
               ColumnRole::kSql},
              {"jobGroup", kText, kHidden, text(&Job::group)},
              {"jobTags", kJson, kHidden, TextCells(tags), ColumnRole::kTag},
              {"work", kLongText, kShown, [names](size_t row) { return TextCell(names->jobs[row].work); }},
              {"name", kLongText, kShown, text(&Job::name)},
              {"description", kLongText, kHidden, text(&Job::description)},
              {"failureReason", kLongText, kHidden, text(&Job::failure)},
          }};
}

}  // namespace sparkprof
