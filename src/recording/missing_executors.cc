// SPDX-License-Identifier: Apache-2.0
#include "recording/missing_executors.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <vector>

namespace sparkprof {
namespace {

constexpr char kDriver[] = "driver";
constexpr size_t kMaxNamed = 10;

// Where settings differ between processes, the smallest share: an executor that was not to be profiled is not missing.
enum class Share { kUnknown, kSome, kAll };
Share ShareOf(const Application& application) {
  Share share = Share::kUnknown;
  for (const ProfilerSetting& setting : application.settings) {
    if (setting.name != kExecutorFraction) continue;
    if (setting.value != "1") return Share::kSome;
    share = Share::kAll;
  }
  return share;
}

void Note(std::string what, std::string reason, int64_t count, std::string text, Application* application) {
  application->complete = false;
  application->losses.push_back({std::move(what), std::move(reason), count});
  application->Warn(application->end_ns, std::move(text));
}

// Ids, in order of first sight.
std::vector<std::string> ExecutorsWithTasks(const Application& application) {
  std::vector<bool> has_tasks(application.executors.size());
  for (const int32_t row : application.tasks.executor) {
    if (row >= 0) has_tasks[static_cast<size_t>(row)] = true;
  }
  std::vector<std::string> ids;
  for (size_t row = 0; row < has_tasks.size(); ++row) {
    if (has_tasks[row]) ids.push_back(application.executors[row].id);
  }
  return ids;
}

void NoteExecutors(const std::set<std::string>& recorded, Application* application) {
  std::vector<std::string> missing = ExecutorsWithTasks(*application);
  std::erase_if(missing, [&](const std::string& id) { return id == kDriver || recorded.contains(id); });
  if (missing.empty()) return;
  const size_t count = missing.size();
  missing.resize(std::min(count, kMaxNamed));
  const std::string more = count > kMaxNamed ? fmt::format(" and {} more", count - kMaxNamed) : "";
  Note("executors", "tasks ran, no recording found", static_cast<int64_t>(count),
       fmt::format("{} {}{} ran tasks, but the recording has no data from {}; add the files of the other machines, "
                   "if any",
                   count == 1 ? "Executor" : "Executors", fmt::join(missing, ", "), more, count == 1 ? "it" : "them"),
       application);
}

}  // namespace

void NoteMissingExecutors(const std::set<std::string>& recorded, Application* application) {
  const Share share = ShareOf(*application);
  if (share == Share::kUnknown) return;
  if (share == Share::kAll) NoteExecutors(recorded, application);
  if (recorded.contains(kDriver)) return;
  Note("drivers", "no recording found", 1,
       "The recording has no data from the driver: jobs, stages and SQL queries are missing or have no names",
       application);
}

}  // namespace sparkprof
