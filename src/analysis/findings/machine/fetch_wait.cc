// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include "analysis/findings/rules.h"
#include "base/text/text.h"

namespace sparkprof {
std::optional<Finding> FindFetchWaits(const FindingInput& input, const Stage& stage, const StageSummary& summary) {
  const int64_t wait_ns = summary.Total(TaskMetric::kShuffleFetchWait);
  const int64_t run_ns = summary.Total(TaskMetric::kExecutorRunTime);
  if (wait_ns < kWorthwhileNs || Share(wait_ns, run_ns) < kMuchOfTime) return std::nullopt;
  Finding finding;
  finding.title =
      fmt::format("Stage {}: shuffle fetch wait takes {} of run time", stage.id, FormatShare(Share(wait_ns, run_ns)));
  finding.what = fmt::format("Tasks of {} spent {} of their run time waiting for shuffle blocks",
                             StageText(input, stage), FormatShare(Share(wait_ns, run_ns)));
  finding.evidence =
      fmt::format("fetch wait {} of {} run time, {} read; longest wait of a task {}", FormatDuration(wait_ns),
                  FormatDuration(run_ns), FormatBytes(summary.Total(TaskMetric::kShuffleReadBytes)),
                  FormatDuration(summary.Of(TaskMetric::kShuffleFetchWait).max));
  finding.condition = fmt::format("Fetch wait is at least {} of a stage's run time and at least {}",
                                  FormatShare(kMuchOfTime), FormatDuration(kWorthwhileNs));
  finding.selection = SelectStage(stage, Event::kWall);
  finding.change =
      "Shuffle less data: filter and project before the shuffle, broadcast the small side of a join, aggregate "
      "first. Then check the executors that serve the blocks (GC, disk, network) and spark.reducer.maxSizeInFlight";
  finding.claim = ClaimTasks(input, summary, wait_ns, kMost, AccountPart::kFetch);
  return finding;
}

}  // namespace sparkprof
