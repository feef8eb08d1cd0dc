// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>

#include "analysis/findings/rules.h"
#include "base/saturate.h"
#include "base/text/text.h"

namespace sparkprof {
std::optional<Finding> FindSpeculativeWaste(const FindingInput& input, const Stage& stage,
                                            const StageSummary& summary) {
  const Tasks& tasks = input.application.tasks;
  int64_t copies = 0, won = 0, wasted_ns = 0;
  for (const uint32_t task : summary.tasks) {
    if (tasks.speculative[task] == 0) continue;
    ++copies;
    won += tasks.outcome[task] == TaskOutcome::kSucceeded;
    if (tasks.outcome[task] == TaskOutcome::kSucceeded) continue;
    AddSaturated(std::max<int64_t>(0, tasks.finish_ns[task] - tasks.launch_ns[task]), &wasted_ns);
  }
  const double share = Share(wasted_ns, summary.Total(TaskMetric::kDuration));
  if (wasted_ns < kWorthwhileNs || share < kMuchOfTime) return std::nullopt;
  Finding finding;
  finding.title = fmt::format("Stage {}: speculative tasks waste {} of task time", stage.id, FormatShare(share));
  finding.what = fmt::format("{} of {} speculative tasks of {} finished after the original", copies - won, copies,
                             StageText(input, stage));
  finding.evidence = fmt::format("{} of task time in copies that were killed", FormatDuration(wasted_ns));
  finding.condition = fmt::format("Speculative tasks that do not win take at least {} of a stage's task time and {}",
                                  FormatShare(kMuchOfTime), FormatDuration(kWorthwhileNs));
  finding.selection = SelectStage(stage, Event::kWall);
  finding.change =
      "Raise spark.speculation.multiplier or spark.speculation.quantile, or disable spark.speculation: it helps if "
      "hosts "
      "are slow, not if tasks have more data";
  finding.claim = ClaimTasks(input, summary, wasted_ns, kHalf, AccountPart::kLostWork);
  return finding;
}

}  // namespace sparkprof
