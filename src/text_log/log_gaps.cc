// SPDX-License-Identifier: Apache-2.0
// Gaps of logs: the lines that an excerpt lacks.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "text_log/log_reconstruction.h"

namespace sparkprof {

// The least number of tasks that ran and that the driver's logs lack: by the numbers of its other tasks, by the counts
// of stages, and of stages that ended without a line for any task.
int64_t LogReconstruction::MissingTasks() const {
  const Tasks& tasks = application_->tasks;
  int64_t seen = 0, first = std::numeric_limits<int64_t>::max(), last = -1;
  std::vector<int64_t> succeeded(application_->stages.size()), attempts(application_->stages.size());
  for (size_t row = 0; row < in_driver_.size(); ++row) {
    if (!in_driver_[row]) continue;
    ++seen;
    first = std::min(first, tasks.id[row]);
    last = std::max(last, tasks.id[row]);
    if (tasks.stage[row] < 0) continue;
    const auto stage = static_cast<size_t>(tasks.stage[row]);
    ++attempts[stage];
    if (tasks.outcome[row] == TaskOutcome::kSucceeded) ++succeeded[stage];
  }
  const int64_t by_number = seen == 0 ? 0 : last - (has_start_ ? 0 : first) + 1 - seen;
  int64_t by_count = 0;
  for (size_t row = 0; row < succeeded.size(); ++row) {
    const Stage& stage = application_->stages[row];
    const auto done = done_.find(static_cast<int32_t>(row));
    const bool has_none = attempts[row] == 0 && stage.status == RunStatus::kSucceeded;
    const int64_t ran = std::max<int64_t>(stage.task_count, took_long_.contains(static_cast<int32_t>(row)) ? 1 : 0);
    const int64_t count = done != done_.end() ? done->second : has_none ? ran : 0;
    by_count += std::max<int64_t>(0, count - succeeded[row]);
  }
  return std::max(by_number, by_count);
}

// Warns of what the logs cannot show.
void LogReconstruction::NoteGaps() {
  constexpr int64_t kToleratedPart = 100;  // lines that others cut, such as output of the program
  const std::vector<int64_t>& tasks = application_->tasks.id;
  const std::vector<Job>& jobs = application_->jobs;
  const bool has_first = std::find(tasks.begin(), tasks.end(), 0) != tasks.end() ||
                         std::any_of(jobs.begin(), jobs.end(), [](const Job& job) { return job.id == 0; });
  std::vector<std::string> missing;
  const bool lacks_start = has_driver_ && !has_start_ && !has_first;
  if (lacks_start) missing.emplace_back("the start of the application");
  if (!has_info_ && !tasks.empty()) missing.emplace_back("lines of level INFO");
  const int64_t missing_tasks = has_driver_ ? MissingTasks() : 0;
  const int64_t all_tasks = missing_tasks + std::count(in_driver_.begin(), in_driver_.end(), true);
  if (missing_tasks > 0 && kToleratedPart * missing_tasks > all_tasks)
    missing.push_back(fmt::format("{} of at least {} tasks", missing_tasks, all_tasks));
  const bool has_no_stage = application_->stages.empty() && tasks.empty();
  if (has_driver_ && has_no_stage &&
      std::any_of(jobs.begin(), jobs.end(), [](const Job& job) { return job.status == RunStatus::kSucceeded; }))
    missing.emplace_back("the stages of its jobs");
  if (missing.empty()) return;
  if (!application_->ended) {
    if (lacks_start) {
      missing.front() = "the start and the end of the application";
    } else {
      missing.insert(missing.begin(), "the end of the application");
    }
  }
  std::string words = fmt::format("{}", fmt::join(missing, ", "));
  if (const size_t comma = words.rfind(", "); comma != std::string::npos) words.replace(comma, 1, " and");
  if (!has_info_ && !tasks.empty()) {
    application_->Warn(0,
                       "the logs have no lines of level INFO: only failures of tasks are known, not their successes");
  } else {
    application_->Warn(0, fmt::format("the logs are an excerpt: they lack {}", words));
  }
  application_->losses.push_back({std::string(kExcerptLoss), std::move(words), std::max<int64_t>(1, missing_tasks)});
}

}  // namespace sparkprof
