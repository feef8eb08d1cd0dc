// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>

#include "analysis/findings/rules.h"
#include "base/text/text.h"
#include "base/time.h"

namespace sparkprof {
namespace {

// Eight times Spark's default size for partitions of files (spark.sql.files.maxPartitionBytes).
constexpr int64_t kLargePartition = int64_t{1} << 30;
constexpr int64_t kGoodPartition = int64_t{128} << 20;
constexpr int64_t kLongTaskNs = 60 * kNanosPerSecond;  // repeating a shorter task loses little

}  // namespace

std::optional<Finding> FindLargePartitions(const FindingInput& input, const Stage& stage, const StageSummary& summary) {
  const int64_t from_files = summary.Of(TaskMetric::kInputBytes).p50;
  const int64_t from_shuffle = summary.Of(TaskMetric::kShuffleReadBytes).p50;
  const int64_t bytes = std::max(from_files, from_shuffle);
  const int64_t median_ns = summary.Of(TaskMetric::kDuration).p50;
  if (bytes < kLargePartition || median_ns < kLongTaskNs) return std::nullopt;
  const bool is_shuffle = from_shuffle >= from_files;
  Finding finding;
  finding.title = fmt::format("Stage {}: large partitions, the median task reads {} in {}", stage.id,
                              FormatBytes(bytes), FormatDuration(median_ns));
  finding.what = fmt::format("Half of the {} tasks of {} read at least {}", summary.tasks.size(),
                             StageText(input, stage), FormatBytes(bytes));
  finding.evidence = fmt::format(
      "{} read {} in total; {} spilled to disk",
      FormatBytes(is_shuffle ? summary.Total(TaskMetric::kShuffleReadBytes) : summary.Total(TaskMetric::kInputBytes)),
      is_shuffle ? "from the shuffle" : "of input", FormatBytes(summary.Total(TaskMetric::kDiskSpilled)));
  finding.condition = fmt::format("The median task of a stage reads at least {} and takes at least {}",
                                  FormatBytes(kLargePartition), FormatDuration(kLongTaskNs));
  finding.selection = SelectStage(stage, Event::kCpu);
  const auto count = static_cast<int64_t>(summary.tasks.size());
  const int64_t wanted = count * (bytes / kGoodPartition);
  finding.change = fmt::format(
      "Use about {} partitions instead of {} ({}): smaller ones need less memory, spread better over the cores, and "
      "lose less work when a task fails",
      wanted, count,
      is_shuffle ? fmt::format("set spark.sql.shuffle.partitions={}", wanted)
                 : "a lower spark.sql.files.maxPartitionBytes, files that can be split");
  return finding;
}

}  // namespace sparkprof
