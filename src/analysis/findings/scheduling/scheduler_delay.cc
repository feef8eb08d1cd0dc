// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include "analysis/findings/rules.h"
#include "analysis/findings/scheduling/stage_tasks.h"
#include "base/text/text.h"

namespace sparkprof {
namespace {

constexpr double kMuchDelay = 0.2;     // share of the tasks' duration
constexpr double kDelayAtStart = 0.6;  // share of the delay

}  // namespace

std::optional<Finding> FindSchedulerDelays(const FindingInput& input, const Stage& stage, const StageSummary& summary) {
  const int64_t delay_ns = summary.Total(TaskMetric::kSchedulerDelay);
  const int64_t duration_ns = summary.Total(TaskMetric::kDuration);
  if (delay_ns < kWorthwhileNs || Share(delay_ns, duration_ns) < kMuchDelay) return std::nullopt;
  // A starting executor runs its first tasks late, and the driver waits for it.
  int64_t at_start_ns = 0;
  for (const uint32_t task : TasksAtStartOfExecutors(input, summary))
    at_start_ns += input.application.tasks.Column(TaskMetric::kSchedulerDelay)[task];
  if (Share(at_start_ns, delay_ns) >= kDelayAtStart) return std::nullopt;
  // FindTinyTasks handles very short tasks.
  if (WallTimeOf(input, summary, delay_ns) < kWorthwhileNs) return std::nullopt;
  Finding finding;
  finding.title = fmt::format("Stage {}: scheduler delay takes {} of task time", stage.id,
                              FormatShare(Share(delay_ns, duration_ns)));
  finding.what = fmt::format("{} of the task time of {} was spent on sending tasks and receiving results",
                             FormatShare(Share(delay_ns, duration_ns)), StageText(input, stage));
  finding.evidence = fmt::format("scheduler delay {} of {}", FormatDuration(delay_ns), FormatDuration(duration_ns));
  if (summary.tasks.size() > 1) {
    finding.evidence += fmt::format(", {} for the median task, {} for the slowest",
                                    FormatDuration(summary.Of(TaskMetric::kSchedulerDelay).p50),
                                    FormatDuration(summary.Of(TaskMetric::kSchedulerDelay).max));
  }
  finding.condition = fmt::format(
      "Scheduler delay (duration minus run time, deserialization, serialization and fetching of the result) is at "
      "least {} of task time and at least {}",
      FormatShare(kMuchDelay), FormatDuration(kWorthwhileNs));
  finding.selection = SelectStage(stage, Event::kCpu);
  finding.selection.stage.reset();
  finding.selection.stage_attempt.reset();
  finding.selection.executor = "driver";
  // Each of very many tasks waits for the few moments that the driver needs for it.
  constexpr int64_t kManyTasksPerCore = 50;
  finding.change =
      static_cast<int64_t>(summary.tasks.size()) >= kManyTasksPerCore * input.cores
          ? "Use fewer and longer tasks: larger files, fewer partitions"
          : "Check the driver at that time: GC, a busy scheduler thread, large closures or results. Broadcast large "
            "closure data, use fewer and longer tasks, or increase the driver's cores or memory";
  finding.claim = ClaimTasks(input, summary, delay_ns, kMost, AccountPart::kSchedulerDelay);
  return finding;
}

}  // namespace sparkprof
