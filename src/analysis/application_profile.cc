// SPDX-License-Identifier: Apache-2.0
#include "analysis/application_profile.h"

#include <algorithm>
#include <map>
#include <string>
#include <utility>

#include "base/time.h"
#include "model/stack_copier.h"

namespace sparkprof {
namespace {

int64_t FirstTime(const Profile& profile) {
  int64_t first = INT64_MAX;
  for (const ProfileSample& sample : profile.samples) {
    if (sample.time_ns != kNoTime) first = std::min(first, sample.time_ns);
  }
  if (profile.start_ns != kNoTime) first = std::min(first, profile.start_ns);
  return first == INT64_MAX ? 0 : first;
}

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

void AddApplication(const Application& application, const std::vector<uint32_t>& rows, ProfileBuilder* builder) {
  StackCopier stacks(application.strings, application.frames, application.stacks, &builder->profile());
  std::map<Event, uint32_t> events;
  std::vector<uint32_t> threads(application.threads.size(), UINT32_MAX);
  std::map<int64_t, uint32_t> tasks;
  const auto task_row = [&](int64_t task) {
    const auto [entry, is_new] = tasks.emplace(task, 0);
    if (!is_new) return entry->second;
    ProfileTask known{.task = task};
    const auto found = std::find(application.tasks.id.begin(), application.tasks.id.end(), task);
    if (found != application.tasks.id.end()) {
      const auto row = static_cast<size_t>(found - application.tasks.id.begin());
      known.partition = application.tasks.partition[row];
      if (const int32_t stage = application.tasks.stage[row]; stage >= 0) {
        known.stage = application.stages[static_cast<size_t>(stage)].id;
        known.stage_attempt = application.stages[static_cast<size_t>(stage)].attempt;
      }
    }
    return entry->second = builder->AddTask(known);
  };
  for (const uint32_t row : rows) {
    const Sample& sample = application.samples[row];
    const auto [event, is_new] = events.emplace(sample.event, 0);
    if (is_new) event->second = builder->AddEvent(EventName(sample.event), EventUnit(sample.event));
    ProfileSample copy{.stack = stacks.Copy(sample.stack), .event = event->second};
    copy.weight = sample.weight;
    copy.count = sample.count;
    copy.time_ns = sample.bucket * application.bucket_ns;
    if (sample.thread < threads.size()) {
      uint32_t& thread = threads[sample.thread];
      if (thread == UINT32_MAX) {
        const ApplicationThread& known = application.threads[sample.thread];
        thread = builder->AddThread({.tid = known.tid, .name = known.name});
      }
      copy.thread = thread;
    }
    if (builder->options().keep_tasks && sample.task != kNoTask) copy.task = task_row(sample.task);
    builder->Add(copy);
  }
  Profile& profile = builder->profile();
  if (application.start_ns != 0) profile.start_ns = application.start_ns;
}

Application ApplicationOf(const Profile& profile) {
  Application application;
  application.id = profile.name;
  application.name = profile.name;
  application.ended = true;
  application.complete = profile.damaged == 0;
  application.strings = profile.strings;
  application.frames = profile.frames;
  application.stacks = profile.stacks;
  const int64_t first_ns = FirstTime(profile);
  application.start_ns = first_ns;
  application.end_ns = first_ns + application.bucket_ns;
  for (const ProfileThread& thread : profile.threads) application.threads.push_back({thread.tid, thread.name, -1});
  AddTasks(profile, &application);
  for (const ProfileSample& sample : profile.samples) {
    const int64_t time_ns = sample.time_ns == kNoTime ? first_ns : sample.time_ns;
    Sample copy;
    copy.bucket = time_ns / application.bucket_ns;
    copy.event = static_cast<Event>(std::min<uint32_t>(sample.event, 0xFE) + 1);
    copy.thread = sample.thread;
    if (const int64_t task = profile.tasks[sample.task].task; task >= 0) {
      copy.task = task;
      copy.category = Category::kTask;
    }
    copy.stack = sample.stack;
    copy.weight = sample.weight;
    copy.count = sample.count;
    application.samples.push_back(copy);
    application.end_ns = std::max(application.end_ns, time_ns + application.bucket_ns);
  }
  application.sample_executor.assign(application.samples.size(), -1);
  return application;
}

}  // namespace sparkprof
