// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>

#include "analysis/findings/advice.h"
#include "analysis/findings/rules.h"
#include "base/text.h"
#include "base/time.h"

namespace sparkprof {
namespace {

constexpr size_t kManyTasks = 200;
constexpr int64_t kManyPerCore = 20;
constexpr int64_t kTinyNs = 200 * kNanosPerMilli;
constexpr int64_t kGoodNs = kNanosPerSecond;  // a task of this length makes its startup cost negligible
constexpr double kMuchStart = 0.05;           // of task time
constexpr double kMostlyStart = 0.7;          // of a tiny task in text logs, which have no run times

}  // namespace

std::optional<Finding> FindTinyTasks(const FindingInput& input, const Stage& stage, const StageSummary& summary) {
  const int64_t count = static_cast<int64_t>(summary.tasks.size());
  const int64_t median_ns = summary.Of(TaskMetric::kDuration).p50;
  if (summary.tasks.size() < kManyTasks || median_ns >= kTinyNs) return std::nullopt;
  const int64_t cores = input.cores;
  if (count < kManyPerCore * cores) return std::nullopt;
  const int64_t total_ns = summary.Total(TaskMetric::kDuration);
  // Time outside of a task's own code: shipping, deserializing, sending the result.
  const bool has_metrics = summary.Total(TaskMetric::kExecutorRunTime) > 0;
  const int64_t overhead_ns = has_metrics ? std::max<int64_t>(0, total_ns - summary.Total(TaskMetric::kExecutorRunTime))
                                          : static_cast<int64_t>(static_cast<double>(total_ns) * kMostlyStart);
  if (Share(overhead_ns, total_ns) < kMuchStart) return std::nullopt;
  Finding finding;
  finding.title = fmt::format("Stage {}: {} tiny tasks", stage.id, CountText(count));
  finding.confidence = 0.8;
  finding.what = fmt::format("Half of the {} tasks of {} take less than {}", CountText(count), StageText(stage),
                             FormatDuration(std::max<int64_t>(median_ns, kNanosPerMilli)));
  finding.evidence =
      fmt::format("{} of {} task time was spent on starting tasks and fetching results; {} tasks per core",
                  FormatShare(Share(overhead_ns, total_ns)), FormatDuration(total_ns), count / cores);
  finding.condition = fmt::format(
      "A stage has at least {} tasks, at least {} per core, the median takes less than {}, and at least {} "
      "of their time is spent on starting them and fetching results",
      kManyTasks, kManyPerCore, FormatDuration(kTinyNs), FormatShare(kMuchStart));
  finding.selection = SelectStage(stage, Event::kCpu);
  const int64_t wanted = std::clamp<int64_t>(total_ns / kGoodNs, std::min(count, cores), count);
  finding.change = fmt::format(
      "Use about {} partitions: coalesce() before the stage, increase spark.sql.files.maxPartitionBytes or "
      "spark.sql.adaptive.advisoryPartitionSizeInBytes, or read fewer, larger files",
      wanted);
  finding.gain_ns = WallTimeOf(input, summary, overhead_ns);
  finding.gain_low = 0.8;
  return finding;
}

}  // namespace sparkprof
