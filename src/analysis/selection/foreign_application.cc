// SPDX-License-Identifier: Apache-2.0
#include "analysis/selection/foreign_application.h"

#include <algorithm>
#include <map>
#include <string>
#include <utility>

#include "base/time.h"

namespace sparkprof {
namespace {

void AddTasks(const Profile& profile, Application* application) {
  std::map<std::pair<int64_t, int64_t>, int32_t> stage_rows;
  for (size_t row = 1; row < profile.tasks.size(); ++row) {
    const ProfileTask& task = profile.tasks[row];
    if (task.task < 0) continue;
    const size_t added = application->tasks.Append(task.task);
    application->tasks.partition[added] = static_cast<int32_t>(task.partition);
    application->tasks.index[added] = static_cast<int32_t>(task.partition);
    if (task.stage < 0) continue;
    const int64_t attempt = std::max<int64_t>(task.stage_attempt, 0);
    const auto [entry, is_new] =
        stage_rows.emplace(std::pair(task.stage, attempt), static_cast<int32_t>(application->stages.size()));
    if (is_new) {
      Stage stage;
      stage.id = task.stage;
      stage.attempt = attempt;
      stage.name = "stage " + std::to_string(task.stage);
      stage.status = RunStatus::kSucceeded;
      application->stages.push_back(std::move(stage));
    }
    application->tasks.stage[added] = entry->second;
    ++application->stages[static_cast<size_t>(entry->second)].task_count;
  }
}

}  // namespace

Application ForeignApplication(Profile profile) {
  Application application;
  application.is_foreign = true;
  application.id = profile.name;
  application.name = profile.name;
  application.ended = true;
  application.complete = profile.damaged == 0;
  const ProfileTimes times = TimesOfSamples(profile);
  application.start_ns = times.start_ns != kNoTime     ? times.start_ns
                         : profile.start_ns == kNoTime ? 0
                                                       : profile.start_ns;
  // A profile without times, or of one moment, is drawn as one second.
  application.end_ns = times.end_ns > application.start_ns ? times.end_ns : application.start_ns + kNanosPerSecond;
  AddTasks(profile, &application);
  for (Sample& sample : profile.samples) {
    if (profile.tasks[sample.task].task != kNoTask) sample.category = Category::kTask;
  }
  application.profile = std::move(profile);
  return application;
}

}  // namespace sparkprof
