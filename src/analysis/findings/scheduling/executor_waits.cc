// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <string>

#include "analysis/findings/rules.h"
#include "analysis/selection/spark_settings.h"
#include "base/text/text.h"
#include "base/time.h"

namespace sparkprof {
namespace {

constexpr int64_t kLongWaitNs = 10 * kNanosPerSecond;  // a container and a JVM need that long on an idle cluster
constexpr char kDynamic[] = "spark.dynamicAllocation.enabled";

// Waits for executors within an application's wall-clock time.
struct ExecutorWaits {
  int64_t ns = 0;
  int64_t before_first_ns = 0;  // part of `ns` before the first executor
  size_t count = 0;
};

ExecutorWaits WaitsOf(const FindingInput& input) {
  int64_t first_ns = 0;
  for (const Executor& executor : input.application.executors) {
    if (executor.id != "driver" && executor.add_ns > 0 && (first_ns == 0 || executor.add_ns < first_ns))
      first_ns = executor.add_ns;
  }
  ExecutorWaits waits;
  for (const WallEntry& entry : input.run.account.wall) {
    if (entry.part != AccountPart::kExecutorWait) continue;
    ++waits.count;
    waits.ns += entry.ns;
    // The parts of a stage are in no order of time; its wait begins with it.
    const int64_t submit_ns =
        entry.stage < 0 ? 0 : input.application.stages[static_cast<size_t>(entry.stage)].submit_ns;
    const int64_t begin_ns = submit_ns > 0 ? std::min(entry.begin_ns, submit_ns) : entry.begin_ns;
    if (first_ns == 0 || begin_ns < first_ns) waits.before_first_ns += entry.ns;
  }
  return waits;
}

// Where to find the reason, by cluster manager.
std::string WhereToLook(const Application& application) {
  const std::string& master = application.master;
  if (master.starts_with("k8s"))
    return "`kubectl get events` and `kubectl describe pod` of the executors say why they are pending: a quota, an "
           "image that is pulled, nodes that have to start, or requests that no node can meet";
  if (master.starts_with("yarn") || application.id.starts_with("application_"))
    return "`yarn application -status` and the queue's page say what the queue has left: its capacity, its limit for a "
           "user, or containers larger than yarn.scheduler.maximum-allocation-mb";
  if (master.starts_with("spark://"))
    return "The master's page says how many cores and how much memory its workers have left: other applications hold "
           "them (spark.cores.max), or no worker has spark.executor.memory free";
  return "See the cluster manager for what executors wait for: free cores and memory, a quota, an image, or nodes that "
         "have to start";
}

}  // namespace

std::optional<Finding> FindExecutorWaits(const FindingInput& input) {
  const Application& application = input.application;
  const ExecutorWaits waits = WaitsOf(input);
  if (waits.ns < kLongWaitNs || Share(waits.ns, input.duration_ns) < kNoticeable) return std::nullopt;
  const bool has_none = application.ExecutorCount() == 0;
  const bool is_later = waits.before_first_ns < waits.ns / 2;
  Finding finding;
  finding.title = has_none ? fmt::format("No executor came in {}", FormatDuration(waits.ns))
                           : fmt::format("The application waits {} for executors", FormatDuration(waits.ns));
  finding.what =
      fmt::format("No executor was there for {} of {}", FormatDuration(waits.ns), FormatDuration(input.duration_ns));
  finding.evidence =
      has_none ? "a job had tasks to run, and no executor was added"
               : fmt::format("{} before the first executor, {} later, while a job had tasks to run",
                             FormatDuration(waits.before_first_ns), FormatDuration(waits.ns - waits.before_first_ns));
  if (const auto wanted = SettingOf(application, "spark.executor.instances"))
    finding.evidence += fmt::format("; spark.executor.instances={}", *wanted);
  finding.condition = fmt::format(
      "A job has tasks to run, or the driver is ready, and no executor is there for at least {} and {} of the duration",
      FormatDuration(kLongWaitNs), FormatShare(kNoticeable));
  finding.selection.executor = "driver";
  finding.change = WhereToLook(application);
  if (is_later && IsEnabled(application, kDynamic)) {
    finding.change =
        "Keep some executors between the jobs: raise spark.dynamicAllocation.minExecutors or executorIdleTimeout. " +
        finding.change;
  }
  finding.claim = ClaimWall(waits.ns, is_later ? kHalf : kSome);
  return finding;
}

}  // namespace sparkprof
