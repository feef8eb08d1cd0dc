// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>

#include "analysis/findings/rules.h"
#include "base/text.h"

namespace sparkprof {
namespace {

constexpr double kMuchGc = 0.1;  // of the run time
constexpr int64_t kMuchSpilled = int64_t{16} << 20;
constexpr int64_t kNsPerSpilledByte = 10;  // to serialize, write, read and merge: about 100 MB/s
constexpr double kMostSpilling = 0.4;      // of the run time

}  // namespace

std::optional<Finding> FindGcPressure(const FindingInput& input, const Stage& stage, const StageSummary& summary) {
  const int64_t gc_ns = summary.Total(TaskMetric::kGcTime);
  const double share = Share(gc_ns, summary.Total(TaskMetric::kExecutorRunTime));
  if (share < kMuchGc || gc_ns < kWorthwhileNs) return std::nullopt;
  Finding finding;
  finding.title = fmt::format("Stage {}: GC takes {} of task time", stage.id, FormatShare(share));
  finding.confidence = share > 0.2 ? 0.95 : 0.8;
  finding.what =
      fmt::format("In {}, garbage collection took {} of the tasks' run time", StageText(stage), FormatShare(share));
  finding.evidence = fmt::format("GC time {} of {} run time", FormatDuration(gc_ns),
                                 FormatDuration(summary.Total(TaskMetric::kExecutorRunTime)));
  finding.condition = fmt::format("GC time is at least {} of a stage's run time and at least {}", FormatShare(kMuchGc),
                                  FormatDuration(kWorthwhileNs));
  finding.selection = SelectStage(stage, Event::kAlloc);
  finding.change =
      "Check the allocation flame graph of the stage: create fewer or smaller objects, use Dataset operations "
      "instead of objects, cache less or serialized data. Otherwise increase spark.executor.memory or use fewer "
      "cores per executor";
  finding.gain_ns = WallTimeOf(input, summary, gc_ns);
  finding.severity = SeverityOf(finding.gain_ns, input.duration_ns);
  return finding;
}

std::optional<Finding> FindSpills(const FindingInput& input, const Stage& stage, const StageSummary& summary) {
  const int64_t spilled = summary.Total(TaskMetric::kDiskSpilled);
  if (spilled < kMuchSpilled) return std::nullopt;
  Finding finding;
  finding.title = fmt::format("Stage {}: tasks spill {} to disk", stage.id, FormatBytes(spilled));
  finding.confidence = 0.9;
  const double most_ns = static_cast<double>(summary.Total(TaskMetric::kExecutorRunTime)) * kMostSpilling;
  const double spilling_ns = std::min(most_ns, static_cast<double>(spilled) * kNsPerSpilledByte);
  finding.gain_ns = WallTimeOf(input, summary, static_cast<int64_t>(spilling_ns));
  finding.gain_low = 0.3;
  finding.severity = std::max(Severity::kMedium, SeverityOf(finding.gain_ns, input.duration_ns));
  finding.what = fmt::format("{} wrote {} to disk because its data did not fit into execution memory", StageText(stage),
                             FormatBytes(spilled));
  finding.evidence = fmt::format("{} in memory, {} on disk; largest spill of a task {}",
                                 FormatBytes(summary.Total(TaskMetric::kMemorySpilled)), FormatBytes(spilled),
                                 FormatBytes(summary.Of(TaskMetric::kDiskSpilled).max));
  finding.condition = fmt::format("The tasks of a stage spill at least {} to disk", FormatBytes(kMuchSpilled));
  finding.selection = SelectStage(stage, Event::kWall);
  finding.change =
      "Use more partitions (spark.sql.shuffle.partitions) to reduce the data per task, increase "
      "spark.executor.memory, or use fewer cores per executor";
  return finding;
}

}  // namespace sparkprof
