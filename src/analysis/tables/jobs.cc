// SPDX-License-Identifier: Apache-2.0
#include "analysis/plans/work_names.h"
#include "analysis/tables/cells.h"
#include "analysis/tables/tables.h"
#include "analysis/time/stage_totals.h"
#include "model/query_text.h"

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
  const auto name = [&application,
                     names = std::make_shared<std::optional<WorkNames>>()](std::string WorkName::*member) {
    return [&application, names, member](size_t row) {
      if (!*names) *names = NamesOfWork(application);
      return TextCell((*names)->jobs[row].*member);
    };
  };
  const auto& jobs = application.jobs;
  const MemberCells of(&jobs);
  const auto total = [totals](int64_t JobTotals::*member) {
    return [totals, member](size_t row) { return Cell((*totals)[row].*member); };
  };
  return {
      .name = "jobs",
      .rows = jobs.size(),
      .columns = {
          {"jobId", "ID of the job", kInteger, kEverywhere, of.Value(&Job::id), ColumnRole::kJob},
          {"status", "RUNNING, SUCCEEDED or FAILED", kText, kEverywhere,
           of.Of([](const Job& job) { return JobStatusText(job.status); })},
          {"duration", "from submission to completion", kMillis, kShown, of.Duration(&Job::submit_ns, &Job::end_ns)},
          {"submissionTime", "submission", kTime, kOnPage, of.Time(&Job::submit_ns), ColumnRole::kBegin},
          {"completionTime", "completion; null while it runs", kTime, kOnPage, of.Time(&Job::end_ns), ColumnRole::kEnd},
          {"numTasks", "tasks of its stages, as planned", kInteger, kShown, total(&JobTotals::tasks)},
          {"numActiveTasks", "tasks that run", kInteger, kHidden, total(&JobTotals::active_tasks)},
          {"numCompletedTasks", "tasks that succeeded", kInteger, kHidden, total(&JobTotals::completed_tasks)},
          {"numSkippedTasks", "tasks of skipped stages", kInteger, kHidden, total(&JobTotals::skipped_tasks)},
          {"numFailedTasks", "tasks that failed, or ran again because their output was lost", kInteger, kShown,
           total(&JobTotals::failed_tasks)},
          {"numKilledTasks", "tasks that were killed", kInteger, kHidden, total(&JobTotals::killed_tasks)},
          {"stageIds", "stages that it needs", kJson, kEverywhere,
           of.MadeText([](const Job& job) { return IdsJson(job.stages); }), ColumnRole::kStage},
          {"numActiveStages", "stages that run", kInteger, kHidden, total(&JobTotals::active_stages)},
          {"numCompletedStages", "stages that succeeded", kInteger, kHidden, total(&JobTotals::completed_stages)},
          {"numSkippedStages", "stages whose output was there already", kInteger, kHidden,
           total(&JobTotals::skipped_stages)},
          {"numFailedStages", "stages that failed", kInteger, kHidden, total(&JobTotals::failed_stages)},
          {"sqlExecutionId", "SQL execution that started it", kInteger, kOnPage, of.Id(&Job::sql_execution),
           ColumnRole::kSql},
          {"jobGroup", "group that the program gave it", kText, kOnPage, of.Text(&Job::group)},
          {"jobTags", "tags, as --job-tag takes them", kJson, kOnPage,
           of.MadeText([](const Job& job) { return TextsJson(job.tags); }), ColumnRole::kTag},
          {"work", "operators that ran in it, in the order of the data", kLongText, kEverywhere, name(&WorkName::work)},
          {"line", "call and line of the program that started it, or what stands for them", kLongText, kOnPage,
           name(&WorkName::line)},
          {"name", "name of its last stage", kLongText, kShown, of.Text(&Job::name)},
          {"description", "description that the program gave it, or the query", kLongText, kOnPage,
           of.MadeText([](const Job& job) { return ReadableQuery(job.description); })},
          {"failureReason", "why it failed", kLongText, kOnPage, of.Text(&Job::failure)},
      }};
}

}  // namespace sparkprof
