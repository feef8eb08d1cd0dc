// SPDX-License-Identifier: Apache-2.0
#include "analysis/findings/rules.h"
#include "analysis/findings/scheduling/partition_advice.h"
#include "base/text/quantity.h"

namespace sparkprof {
namespace {

constexpr int64_t kMuchSpilled = int64_t{16} << 20;
constexpr int64_t kNsPerSpilledByte = 10;  // to serialize, write, read and merge: about 100 MB/s
constexpr double kMaxSpilling = 0.4;       // share of run time
constexpr std::string_view kSpillTemplate = "Thread <*> spilling";
constexpr std::string_view kWindowTemplate = "No Partition Defined for Window operation";
constexpr int64_t kMuchSpilledMemory = int64_t{32} << 20;
constexpr int64_t kNsPerSpilledMemory = 3;  // to sort, serialize, write, read and merge a byte

}  // namespace

int64_t PartitionsWithoutSpill(const StageSummary& summary) {
  const auto held = static_cast<double>(summary.Total(TaskMetric::kPeakExecutionMemory));
  const auto spilled = static_cast<double>(summary.Total(TaskMetric::kMemorySpilled));
  if (held == 0 || summary.Total(TaskMetric::kShuffleReadBytes) == 0) return 0;
  return static_cast<int64_t>(std::ceil(static_cast<double>(summary.tasks.size()) * (held + spilled) / held));
}

std::optional<Finding> FindSpills(const FindingInput& input, const Stage& stage, const StageSummary& summary) {
  const int64_t spilled = summary.Total(TaskMetric::kDiskSpilled);
  if (spilled < kMuchSpilled) return std::nullopt;
  Finding finding;
  finding.title = fmt::format("Stage {}: tasks spill {} to disk", stage.id, FormatBytes(spilled));
  const double most_ns = static_cast<double>(summary.Total(TaskMetric::kExecutorRunTime)) * kMaxSpilling;
  const double spilling_ns = std::min(most_ns, static_cast<double>(spilled) * kNsPerSpilledByte);
  finding.claim = ClaimTasks(input, summary, static_cast<int64_t>(spilling_ns), kMost);
  finding.what = fmt::format("Tasks of {} wrote {} to disk because their data did not fit into execution memory",
                             StageText(input, stage), FormatBytes(spilled));
  finding.evidence = fmt::format("{} in memory, {} on disk; largest spill of a task {}",
                                 FormatBytes(summary.Total(TaskMetric::kMemorySpilled)), FormatBytes(spilled),
                                 FormatBytes(summary.Of(TaskMetric::kDiskSpilled).max));
  finding.condition = fmt::format("The tasks of a stage spill at least {} to disk", FormatBytes(kMuchSpilled));
  finding.selection = SelectStage(stage, Event::kWall);
  int64_t partitions = PartitionsWithoutSpill(summary);
  if (partitions > 0 && HasFewPartitions(input, static_cast<int64_t>(summary.tasks.size())))
    partitions = PartitionsWanted(input, summary);
  finding.change = partitions == 0
                       ? std::string("Use more partitions")
                       : fmt::format("Use about {} partitions instead of {}", partitions, summary.tasks.size());
  const std::string setting = SettingOfShufflePartitions(input.application, stage, partitions);
  finding.change +=
      fmt::format("{} to reduce the data per task, or {}", setting.empty() ? setting : fmt::format(" ({})", setting),
                  MoreMemoryAdvice(input.application));
  return finding;
}

std::optional<Finding> FindSpillsInLogs(const FindingInput& input) {
  static const re2::RE2 pattern(R"(spilling (?:sort data|in-memory map) of ([0-9.]+ ?[A-Za-z]+) to disk)");
  if (!HasOnlyLogs(input.application)) return std::nullopt;
  int64_t bytes = 0, count = 0;
  const int64_t span_ns = ForEachRecord(input.application.logs, kSpillTemplate, [&](std::string_view text, int64_t) {
    std::string size;
    if (!re2::RE2::PartialMatch(text, pattern, &size)) return;
    bytes += ParseBytes(size).value_or(0);
    ++count;
  });
  if (bytes < kMuchSpilledMemory) return std::nullopt;
  // The only task of a window without PARTITION BY spills with any number of partitions; a warning explains it.
  bool has_window = false;
  ForEachRecord(input.application.logs, kWindowTemplate, [&](std::string_view, int64_t) { has_window = true; });
  if (has_window) return std::nullopt;
  Finding finding;
  finding.title = fmt::format("Tasks spill {} of memory to disk", FormatBytes(bytes));
  finding.what = fmt::format(
      "By their logs, tasks spilled {}, {} of memory in total, because their data did not fit into execution memory",
      Counted(count, "time"), FormatBytes(bytes));
  finding.evidence = fmt::format("from the first to the last spill: {}", FormatDuration(span_ns));
  finding.condition =
      fmt::format("By text logs alone, tasks spill at least {} of memory", FormatBytes(kMuchSpilledMemory));
  finding.selection.event = EventName(Event::kWall);
  finding.stages = StagesThatLog(input.application, kSpillTemplate);
  finding.change = fmt::format("Use more partitions (spark.sql.shuffle.partitions) to reduce the data per task, or {}",
                               MoreMemoryAdvice(input.application));
  finding.claim =
      ClaimStages(input, finding.stages, std::min(span_ns, bytes * kNsPerSpilledMemory / input.cores), kMost);
  return finding;
}

}  // namespace sparkprof
