// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include "analysis/findings/advice.h"
#include "analysis/findings/rules.h"
#include "analysis/selection/spark_settings.h"
#include "analysis/selection/time_range.h"
#include "analysis/time/time_spent.h"
#include "analysis/time/timeline.h"
#include "base/text/text.h"

namespace sparkprof {
namespace {

constexpr double kMuchIdle = 0.4;  // share of core time

}  // namespace

std::optional<Finding> FindIdleCores(const FindingInput& input) {
  const TimeSpent spent = SplitTime(input.application);
  if (spent.parts.empty()) return std::nullopt;
  const int64_t idle_ns = spent.parts.back().ns;
  const double share = Share(idle_ns, spent.core_time_ns);
  if (share < kMuchIdle || idle_ns < kWorthwhileNs) return std::nullopt;
  const int64_t without_tasks_ns = ProfileOf(input.application).time_at_ns.front();
  Finding finding;
  finding.title = fmt::format("Cores were idle for {} of core time", FormatShare(share));
  finding.is_context = true;
  finding.what = fmt::format("No task ran for {} of core time", FormatShare(share));
  finding.evidence =
      fmt::format("{} of {} core time idle; for {} of {} no task ran at all and only the driver was active",
                  FormatDuration(idle_ns), FormatDuration(spent.core_time_ns), FormatDuration(without_tasks_ns),
                  FormatDuration(input.duration_ns));
  finding.condition =
      fmt::format("No task runs for at least {} of core time (cores of the executors times their lifetime)",
                  FormatShare(kMuchIdle));
  finding.selection.event = EventName(Event::kCpu);
  finding.selection.executor = "driver";
  finding.change =
      Share(without_tasks_ns, input.duration_ns) > share / 2
          ? fmt::format(
                "Much of this time is in the driver between jobs: {}run independent jobs in parallel, collect "
                "less data, or use fewer {}",
                HasSamples(input.application) ? "check the driver's flame graph, " : "",
                IsLocal(input.application) ? "cores" : "executors")
          : fmt::format("Stages have fewer tasks than cores, or a few long tasks: use more partitions or fewer {}",
                        IsLocal(input.application) ? "cores" : "executors");
  return finding;
}

}  // namespace sparkprof
