// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <map>
#include <unordered_map>

#include "analysis/tables/cells.h"
#include "analysis/tables/tables.h"
#include "analysis/time/stage_totals.h"
#include "base/saturate.h"

namespace sparkprof {
namespace {

struct TagTotals {
  std::string tag;
  int64_t jobs = 0, tasks = 0, failed_tasks = 0;
  int64_t begin_ns = 0;
  int64_t end_ns = 0;  // 0 = a job runs
  int64_t run_ns = 0, cpu_ns = 0;
};

int64_t SumOf(const StageTotals& totals, TaskMetric metric) { return totals.sum[static_cast<size_t>(metric)]; }

void AddJob(const Job& job, const JobTotals& totals, TagTotals* tag) {
  const bool is_first = tag->jobs == 0;
  const bool runs = job.end_ns == 0 || (!is_first && tag->end_ns == 0);
  ++tag->jobs;
  tag->begin_ns = is_first ? job.submit_ns : std::min(tag->begin_ns, job.submit_ns);
  tag->end_ns = runs ? 0 : std::max(tag->end_ns, job.end_ns);
  AddSaturated(totals.tasks, &tag->tasks);
  AddSaturated(totals.failed_tasks, &tag->failed_tasks);
}

std::vector<TagTotals> TotalsOfTags(const Application& application) {
  std::map<std::string, TagTotals> tags;
  const std::vector<JobTotals> jobs = TotalsOfJobs(application);
  std::unordered_map<int64_t, size_t> row_of_job;
  for (size_t row = 0; row < application.jobs.size(); ++row) {
    row_of_job.emplace(application.jobs[row].id, row);
    for (const std::string& tag : application.jobs[row].tags) AddJob(application.jobs[row], jobs[row], &tags[tag]);
  }
  const std::vector<StageTotals> stages = TotalsOfStages(application);
  for (size_t row = 0; row < stages.size(); ++row) {
    const auto job = row_of_job.find(application.stages[row].job);
    if (job == row_of_job.end()) continue;
    for (const std::string& tag : application.jobs[job->second].tags) {
      AddSaturated(SumOf(stages[row], TaskMetric::kExecutorRunTime), &tags[tag].run_ns);
      AddSaturated(SumOf(stages[row], TaskMetric::kExecutorCpuTime), &tags[tag].cpu_ns);
    }
  }
  std::vector<TagTotals> rows;
  for (auto& [tag, totals] : tags) {
    totals.tag = tag;
    rows.push_back(std::move(totals));
  }
  return rows;
}

}  // namespace

Table TagsTable(const Application& application) {
  using enum ColumnType;
  using enum Visibility;
  const auto of = CellsOf(TotalsOfTags(application));
  return {.name = "tags",
          .rows = of.Size(),
          .columns = {
              {"tag", "tag, as --job-tag takes it", kText, kShown,
               of.Of([](const TagTotals& tag) { return std::string_view(tag.tag); })},
              {"numJobs", "jobs with the tag", kInteger, kShown, of.Value(&TagTotals::jobs)},
              {"duration", "from the first submission to the last completion", kMillis, kShown,
               of.Duration(&TagTotals::begin_ns, &TagTotals::end_ns)},
              {"numTasks", "tasks of the jobs, as planned", kInteger, kShown, of.Value(&TagTotals::tasks)},
              {"numFailedTasks", "tasks of the jobs that failed", kInteger, kShown, of.Value(&TagTotals::failed_tasks)},
              {"executorRunTime", "time that tasks of the jobs ran in executors", kMillis, kShown,
               of.Millis(&TagTotals::run_ns)},
              {"executorCpuTime", "CPU time of the tasks of the jobs", kNanos, kShown, of.Value(&TagTotals::cpu_ns)},
              {"submissionTime", "submission of the first job", kTime, kHidden, of.Time(&TagTotals::begin_ns),
               ColumnRole::kBegin},
              {"completionTime", "completion of the last job; null while a job runs", kTime, kHidden,
               of.Time(&TagTotals::end_ns), ColumnRole::kEnd},
              {"jobTags", "the tag as a list, which selects the row", kJson, kHidden,
               of.MadeText([](const TagTotals& tag) { return TextsJson(std::array{tag.tag}); }), ColumnRole::kTag},
          }};
}

}  // namespace sparkprof
