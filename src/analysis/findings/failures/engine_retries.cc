// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include "analysis/findings/advice.h"
#include "analysis/findings/rules.h"
#include "analysis/plans/engine_times.h"
#include "base/text/text.h"

namespace sparkprof {
std::optional<Finding> FindEngineRetries(const FindingInput& input, const Stage& stage, const StageSummary& summary) {
  const int64_t retry_ns = EngineMetricOf(stage, EngineTaskMetric::kRetryTime).value_or(0);
  const int64_t spill_ns = EngineMetricOf(stage, EngineTaskMetric::kSpillTime).value_or(0);
  const int64_t run_ns = summary.Total(TaskMetric::kExecutorRunTime);
  const int64_t lost_ns = retry_ns + spill_ns;
  if (lost_ns < kWorthwhileNs || Share(lost_ns, run_ns) < kMuchOfTime) return std::nullopt;
  Finding finding;
  finding.title = fmt::format("Stage {}: retries and spills of the GPU take {} of run time", stage.id,
                              FormatShare(Share(lost_ns, run_ns)));
  finding.what = fmt::format("The memory of the GPU was full: tasks of {} waited, computed again and moved data out",
                             StageText(input, stage));
  finding.evidence = fmt::format("retries {}, spills to the host or disk and back {}, of {} run time",
                                 FormatDuration(retry_ns), FormatDuration(spill_ns), FormatDuration(run_ns));
  if (const auto retries = EngineMetricOf(stage, EngineTaskMetric::kRetries)) {
    finding.evidence += fmt::format("; {} retries", CountText(*retries));
  }
  if (const auto wait_ns = EngineMetricOf(stage, EngineTaskMetric::kWait)) {
    finding.evidence += fmt::format("; tasks waited {} for the GPU", FormatDuration(*wait_ns));
  }
  if (const auto memory = EngineMetricOf(stage, EngineTaskMetric::kMemory)) {
    finding.evidence += fmt::format("; a task used up to {} of its memory", FormatBytes(*memory));
  }
  finding.condition =
      fmt::format("Retries and spills of the GPU take at least {} of a stage's run time and at least {}",
                  FormatShare(kMuchOfTime), FormatDuration(kWorthwhileNs));
  finding.selection = SelectStage(stage, Event::kWall);
  finding.change = kLessGpuMemoryAdvice;
  finding.claim = ClaimTasks(input, summary, lost_ns, kWhole);
  return finding;
}

}  // namespace sparkprof
