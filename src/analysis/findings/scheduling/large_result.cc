// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>

#include "analysis/findings/advice.h"
#include "analysis/findings/rules.h"
#include "analysis/selection/time_range.h"
#include "base/text/text.h"

namespace sparkprof {
namespace {

constexpr int64_t kLarge = int64_t{32} << 20;

// Time in which the driver processes the result: from the end of the stage's job to the next job, or to the end of the
// application.
int64_t TimeAfterJob(const Application& application, const Stage& stage) {
  int64_t end_ns = 0;
  for (const Job& job : application.jobs) {
    if (job.id == stage.job) end_ns = job.end_ns;
  }
  if (end_ns == 0) return 0;
  int64_t next_ns = RangeOf(application).end_ns;
  for (const Job& job : application.jobs) {
    if (job.submit_ns >= end_ns) next_ns = std::min(next_ns, job.submit_ns);
  }
  return std::max<int64_t>(0, next_ns - end_ns);
}

}  // namespace

std::optional<Finding> FindLargeResults(const FindingInput& input, const Stage& stage, const StageSummary& summary) {
  const int64_t result_bytes = summary.Total(TaskMetric::kResultSize);
  if (result_bytes < kLarge) return std::nullopt;
  const int64_t sending_ns =
      summary.Total(TaskMetric::kGettingResultTime) + summary.Total(TaskMetric::kResultSerializationTime);
  const int64_t after_ns = TimeAfterJob(input.application, stage);
  Finding finding;
  finding.title = fmt::format("Stage {}: the driver collects {}", stage.id, FormatBytes(result_bytes));
  finding.what =
      fmt::format("The tasks of {} sent {} to the driver", StageText(input, stage), FormatBytes(result_bytes));
  finding.evidence = fmt::format(
      "{} to serialize and fetch the results; the driver was busy for {} after the job; largest result of a task {}",
      FormatDuration(sending_ns), FormatDuration(after_ns), FormatBytes(summary.Of(TaskMetric::kResultSize).max));
  finding.condition = fmt::format("The tasks of a stage send at least {} to the driver", FormatBytes(kLarge));
  finding.selection.event = EventName(Event::kCpu);
  finding.selection.executor = "driver";
  finding.change = FewerRowsAdvice(stage.name);
  finding.claim = ClaimTasks(input, summary, sending_ns, kMost);
  finding.claim.wall_ns = after_ns;
  return finding;
}

}  // namespace sparkprof
