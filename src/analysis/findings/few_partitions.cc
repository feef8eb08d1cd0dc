// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include "analysis/findings/rules.h"
#include "base/text.h"
#include "base/time.h"

namespace sparkprof {
namespace {

constexpr double kMuchOfDuration = 0.1;
constexpr int64_t kLongStageNs = 5 * kNanosPerSecond;
constexpr double kHalfUsed = 0.5;  // of the cores

}  // namespace

std::optional<Finding> FindFewPartitions(const FindingInput& input, const Stage& stage, const StageSummary& summary) {
  int64_t begin_ns = 0, end_ns = 0;
  const int64_t span_ns = TaskSpan(input, summary, &begin_ns, &end_ns);
  const auto count = static_cast<int64_t>(summary.tasks.size());
  if (count == 0 || stage.task_count > count || span_ns < kLongStageNs) return std::nullopt;
  if (static_cast<double>(count) > kHalfUsed * static_cast<double>(input.cores)) return std::nullopt;
  if (Share(span_ns, input.duration_ns) < kMuchOfDuration) return std::nullopt;
  Finding finding;
  finding.title = fmt::format("Stage {}: {} task{} for {} cores", stage.id, count, count == 1 ? "" : "s", input.cores);
  finding.confidence = 0.7;
  finding.what = fmt::format("The {} task{} of {} took {}, and {} cores had nothing to do", count,
                             count == 1 ? "" : "s", StageText(stage), FormatDuration(span_ns), input.cores - count);
  finding.evidence = fmt::format("the longest task took {}", FormatDuration(summary.Of(TaskMetric::kDuration).max));
  finding.condition =
      fmt::format("A stage of at least {} and {} of the application's duration has tasks for at most {} of the cores",
                  FormatDuration(kLongStageNs), FormatShare(kMuchOfDuration), FormatShare(kHalfUsed));
  finding.selection = SelectStage(stage, Event::kCpu);
  finding.change = fmt::format(
      "Use at least {} partitions: repartition() before the work, no coalesce(1), a higher "
      "spark.sql.shuffle.partitions or a smaller spark.sql.adaptive.advisoryPartitionSizeInBytes. Compressed files "
      "that "
      "cannot be split, such as .gz, are one partition each",
      2 * input.cores);
  finding.gain_ns = span_ns - span_ns * count / input.cores;
  finding.gain_low = 0.5;
  finding.gain_high = 1;
  finding.severity = SeverityOf(finding.gain_ns, input.duration_ns);
  return finding;
}

}  // namespace sparkprof
