// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <string>

#include "analysis/findings/advice.h"
#include "analysis/findings/rules.h"
#include "analysis/selection/spark_settings.h"
#include "analysis/selection/time_range.h"
#include "analysis/time/timeline.h"
#include "base/text/text.h"
#include "base/time.h"

namespace sparkprof {
namespace {

constexpr double kMuchUnused = 0.4;                          // share of the executors' lifetime
constexpr int64_t kLongIdleNs = 5 * 60 * kNanosPerSecond;    // sum of all executors
constexpr int64_t kDefaultTimeoutNs = 60 * kNanosPerSecond;  // spark.dynamicAllocation.executorIdleTimeout
constexpr char kIdleTimeout[] = "spark.dynamicAllocation.executorIdleTimeout";
constexpr char kMinExecutors[] = "spark.dynamicAllocation.minExecutors";
constexpr char kCachedTimeout[] = "spark.dynamicAllocation.cachedExecutorIdleTimeout";
constexpr char kShuffleTracking[] = "spark.dynamicAllocation.shuffleTracking.enabled";
constexpr char kShuffleTimeout[] = "spark.dynamicAllocation.shuffleTracking.timeout";

// Time of executors without a running task.
struct IdleTime {
  int64_t alive_ns = 0;
  int64_t idle_ns = 0;
  int64_t after_last_task_ns = 0;  // part of idle_ns
  size_t executors = 0;
  size_t unused = 0;  // executors that never ran a task
};

IdleTime IdleTimeOf(const Application& application) {
  const TimeRange range = RangeOf(application);
  const auto concurrency = ConcurrencyOf(application);
  IdleTime idle;
  for (size_t row = 0; row < application.executors.size(); ++row) {
    const Executor& executor = application.executors[row];
    const int64_t end_ns = executor.remove_ns > 0 ? executor.remove_ns : range.end_ns;
    if (executor.id == "driver" || executor.add_ns == 0 || end_ns <= executor.add_ns) continue;
    int64_t free_since_ns = executor.add_ns;
    int64_t idle_ns = 0;
    for (const ConcurrencyStep& step : concurrency[row]) {
      if (step.running > 0) {
        idle_ns += free_since_ns > 0 ? std::max<int64_t>(0, step.time_ns - free_since_ns) : 0;
        free_since_ns = 0;
      } else {
        free_since_ns = free_since_ns > 0 ? free_since_ns : step.time_ns;
      }
    }
    const int64_t last_ns = free_since_ns > 0 ? std::max<int64_t>(0, end_ns - free_since_ns) : 0;
    ++idle.executors;
    idle.unused += concurrency[row].empty() ? 1 : 0;
    idle.alive_ns += end_ns - executor.add_ns;
    idle.idle_ns += idle_ns + last_ns;
    idle.after_last_task_ns += last_ns;
  }
  return idle;
}

// Advice to remove idle executors, by the settings; may be empty.
std::string ChangeOf(const Application& application) {
  const int64_t timeout_ns = DurationSetting(application, kIdleTimeout).value_or(kDefaultTimeoutNs);
  std::string change;
  const auto advise = [&](const std::string& advice) { change += (change.empty() ? "" : "; ") + advice; };
  const auto least = SettingOf(application, kMinExecutors);
  if (least && *least != "0" && *least != "1") advise(fmt::format("Lower {} (now {})", kMinExecutors, *least));
  if (timeout_ns > kDefaultTimeoutNs) {
    advise(fmt::format("Set {}=60s (now {})", kIdleTimeout, *SettingOf(application, kIdleTimeout)));
  }
  if (IsEnabled(application, kShuffleTracking) && !SettingOf(application, kShuffleTimeout)) {
    advise(fmt::format("Set {} to limit how long executors are kept for their shuffle data (now without limit)",
                       kShuffleTimeout));
  }
  if (!application.cached_rdds.empty() && !SettingOf(application, kCachedTimeout)) {
    advise(fmt::format("Unpersist cached data that is no longer used, or set {} (now without limit)", kCachedTimeout));
  }
  // A shorter timeout would remove executors between two jobs, or between two commands of a person.
  if (change.empty() && (timeout_ns < kDefaultTimeoutNs || IsInteractive(application))) return {};
  if (change.empty()) advise(fmt::format("Lower {} (now {})", kIdleTimeout, FormatDuration(timeout_ns)));
  return change + ". This saves machines, not time";
}

}  // namespace

std::optional<Finding> FindIdleExecutors(const FindingInput& input) {
  const Application& application = input.application;
  if (!IsEnabled(application, "spark.dynamicAllocation.enabled")) return std::nullopt;
  const IdleTime idle = IdleTimeOf(application);
  const double share = Share(idle.idle_ns, idle.alive_ns);
  if (idle.idle_ns < kLongIdleNs || share < kMuchUnused) return std::nullopt;
  const std::string change = ChangeOf(application);
  if (change.empty()) return std::nullopt;
  Finding finding;
  finding.title =
      fmt::format("Dynamic allocation keeps executors that run no task for {} of their time", FormatShare(share));
  finding.what = fmt::format("{} executors were there for {} in total, and for {} of it they ran no task",
                             idle.executors, FormatDuration(idle.alive_ns), FormatDuration(idle.idle_ns));
  finding.evidence =
      fmt::format("{} of it after the last task of an executor", FormatDuration(idle.after_last_task_ns));
  if (idle.unused > 0) {
    finding.evidence += fmt::format("; {} executor{} never ran a task", idle.unused, idle.unused == 1 ? "" : "s");
  }
  finding.condition =
      fmt::format("With dynamic allocation, executors run no task for at least {} of their lifetime and at least {}",
                  FormatShare(kMuchUnused), FormatDuration(kLongIdleNs));
  finding.selection.event = EventName(Event::kCpu);
  finding.change = change;
  return finding;
}

}  // namespace sparkprof
