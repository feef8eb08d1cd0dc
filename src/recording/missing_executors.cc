// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <vector>

#include "base/saturate.h"
#include "base/text/text.h"
#include "base/time.h"
#include "recording/application_builder.h"

namespace sparkprof {
namespace {

constexpr char kDriver[] = "driver";
constexpr size_t kMaxNamed = 10;
// Clocks of machines differ by less.
constexpr int64_t kLeastGap = kNanosPerSecond;

// Formats "1, 2" with at most ten names.
std::string NamesOf(std::vector<std::string> names) {
  const size_t count = names.size();
  names.resize(std::min(count, kMaxNamed));
  const std::string more = count > kMaxNamed ? fmt::format(" and {} more", count - kMaxNamed) : "";
  return fmt::format("{} {}{}", count == 1 ? "Executor" : "Executors", fmt::join(names, ", "), more);
}

// If settings differ between processes, the smallest share counts: an executor that was not to be profiled is not
// missing.
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

// IDs in order of first occurrence.
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
  Note("executors", "tasks ran, no recording found", static_cast<int64_t>(count),
       fmt::format("{} ran tasks, but the recording has no data from {}; add the files of the other machines, if any",
                   NamesOf(std::move(missing)), count == 1 ? "it" : "them"),
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

void NoteUnsentEnds(const std::map<int32_t, int64_t>& last_ns, Application* application) {
  std::vector<std::string> names;
  int64_t unsent_ns = 0;
  for (const auto& [row, last] : last_ns) {
    const Executor& executor = application->executors[static_cast<size_t>(row)];
    const int64_t removed_ns = executor.remove_ns > 0 ? executor.remove_ns
                               : application->ended   ? application->end_ns
                                                      : 0;
    const int64_t gap_ns = removed_ns == 0 || last == 0 ? 0 : removed_ns - last;
    if (gap_ns < kLeastGap) continue;
    names.push_back(executor.id);
    AddSaturated(gap_ns, &unsent_ns);
  }
  if (names.empty()) return;
  const bool is_one = names.size() == 1;
  Note("profiling_ms", "executors ended before they had sent it", unsent_ns / kNanosPerMilli,
       fmt::format("{}: the last {}{} were not received; if the machine still exists, push the recording that is left "
                   "on it",
                   NamesOf(std::move(names)), FormatDuration(unsent_ns), is_one ? "" : " in all"),
       application);
}

}  // namespace sparkprof
