// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string>

#include "analysis/findings/advice.h"
#include "analysis/findings/plans/plan_operator.h"
#include "analysis/findings/rules.h"
#include "analysis/findings/scheduling/partition_advice.h"
#include "analysis/findings/scheduling/stage_tasks.h"
#include "analysis/selection/spark_settings.h"
#include "base/text/text.h"

namespace sparkprof {
namespace {

constexpr int64_t kLargeHeapOfCore = int64_t{4} << 30;  // tasks seldom need more
constexpr int64_t kLargeHeap = int64_t{16} << 30;       // for any number of cores
constexpr int64_t kMuchSpilled = int64_t{16} << 20;
constexpr int64_t kNsPerSpilledByte = 10;  // to serialize, write, read and merge: about 100 MB/s
constexpr double kMaxSpilling = 0.4;       // share of run time

// Advises more memory, unless the cores have much already.
std::string MemoryAdviceForGc(const FindingInput& input) {
  const Application& application = input.application;
  const bool is_local = IsLocal(application);
  const char* const setting = is_local ? "spark.driver.memory" : "spark.executor.memory";
  const int64_t heap = MemorySetting(application, setting).value_or(0);
  int64_t cores = 1;
  for (const Executor& executor : application.executors) cores = std::max<int64_t>(cores, executor.cores);
  if (heap / cores < kLargeHeapOfCore && heap < kLargeHeap) return MoreMemoryAdvice(application);
  return fmt::format("try another collector (-XX:+UseParallelGC in {}): {} is large for {} already",
                     is_local ? "spark.driver.extraJavaOptions" : "spark.executor.extraJavaOptions", setting,
                     Counted(cores, "core"));
}

// The aggregate of a stage that collects all rows of a group into one value: "collect_list"; may be empty.
std::string_view HoardingFunction(const Application& application, const Stage& stage) {
  for (const PlanOperator& one : OperatorsOfStage(application, stage)) {
    if (one.stages.empty() || one.kind.find("Aggregate") == std::string_view::npos) continue;
    for (const std::string_view function : {"collect_list", "collect_set"}) {
      if (one.plan->text.find(function) != std::string::npos) return function;
    }
  }
  return {};
}

}  // namespace

int64_t PartitionsWithoutSpill(const StageSummary& summary) {
  const auto held = static_cast<double>(summary.Total(TaskMetric::kPeakExecutionMemory));
  const auto spilled = static_cast<double>(summary.Total(TaskMetric::kMemorySpilled));
  if (held == 0 || summary.Total(TaskMetric::kShuffleReadBytes) == 0) return 0;
  return static_cast<int64_t>(std::ceil(static_cast<double>(summary.tasks.size()) * (held + spilled) / held));
}

std::optional<Finding> FindGcPressure(const FindingInput& input, const Stage& stage, const StageSummary& summary) {
  const int64_t task_ns = summary.Total(TaskMetric::kDuration);
  const int64_t gc_ns = std::min(summary.Total(TaskMetric::kGcTime), task_ns);
  const double share = Share(gc_ns, task_ns);
  if (share < kMuchOfTime || gc_ns < kWorthwhileNs) return std::nullopt;
  // Class loading fills the metaspace, and the heap starts small.
  const MetricColumn& gc = input.application.tasks.Column(TaskMetric::kGcTime);
  if (IsOfStart(input, summary, [&](uint32_t task) { return gc[task]; })) return std::nullopt;
  Finding finding;
  finding.title = fmt::format("Stage {}: GC takes {} of task time", stage.id, FormatShare(share));
  finding.what =
      fmt::format("In {}, garbage collection took {} of the tasks' time", StageText(input, stage), FormatShare(share));
  finding.evidence = fmt::format("GC time {} of {} task time", FormatDuration(gc_ns), FormatDuration(task_ns));
  finding.condition = fmt::format("GC time is at least {} of a stage's task time and at least {}",
                                  FormatShare(kMuchOfTime), FormatDuration(kWorthwhileNs));
  finding.selection = SelectStage(stage, Event::kAlloc);
  const std::string memory = MemoryAdviceForGc(input);
  finding.change = fmt::format(
      "{}reate fewer or smaller objects, use Dataset operations instead of objects, cache less or serialized data. "
      "Otherwise {}",
      HasSamples(input.application) ? "Check the allocation flame graph of the stage: c" : "C", memory);
  const std::string_view hoards = HoardingFunction(input.application, stage);
  if (!hoards.empty()) {
    finding.evidence += fmt::format("; {} keeps all rows of a group in memory", hoards);
    finding.change = fmt::format(
        "Replace {} by an aggregation that keeps no rows (count, sum, max, approx_count_distinct), or select fewer "
        "columns before it. Otherwise {}",
        hoards, memory);
  }
  // A stage that collects rows into lists also copies and ships them.
  finding.claim = hoards.empty() ? ClaimTasks(input, summary, gc_ns, kMost, AccountPart::kGc)
                                 : ClaimTasks(input, summary, summary.Total(TaskMetric::kDuration), kMost);
  return finding;
}

std::optional<Finding> FindGcAtStart(const FindingInput& input) {
  int64_t task_ns = 0, gc_ns = 0;
  for (size_t row = 0; row < input.stages.size(); ++row) {
    const StageSummary& summary = input.stages[row];
    if (FindGcPressure(input, input.application.stages[row], summary)) return std::nullopt;
    const int64_t stage_ns = summary.Total(TaskMetric::kDuration);
    task_ns += stage_ns;
    gc_ns += std::min(summary.Total(TaskMetric::kGcTime), stage_ns);
  }
  const double share = Share(gc_ns, task_ns);
  if (share < kMuchOfTime || gc_ns < kWorthwhileNs) return std::nullopt;
  Finding finding;
  finding.title =
      fmt::format("GC takes {} of the time of all tasks, mostly at the start of executors", FormatShare(share));
  finding.what = fmt::format(
      "Garbage collection took {} of the time of all tasks. Most of it is in the first tasks of "
      "executors: while classes load, the metaspace and a small heap fill up again and again",
      FormatShare(share));
  finding.evidence = fmt::format("GC time {} of {} task time", FormatDuration(gc_ns), FormatDuration(task_ns));
  finding.condition = fmt::format(
      "GC time is at least {} of the time of all tasks and at least {}, and no stage has a "
      "finding of its own",
      FormatShare(kMuchOfTime), FormatDuration(kWorthwhileNs));
  finding.selection.event = EventName(Event::kAlloc);
  finding.change = fmt::format(
      "Start the JVMs with a larger heap and metaspace (-Xms1g -XX:MetaspaceSize=256m in {}), and run several short "
      "jobs "
      "in one application. A long job is not affected",
      IsLocal(input.application) ? "spark.driver.extraJavaOptions" : "spark.executor.extraJavaOptions");
  finding.claim.removal = kHalf;
  for (const StageSummary& summary : input.stages) {
    const Claim of_stage = ClaimTasks(input, summary, summary.Total(TaskMetric::kGcTime), kHalf, AccountPart::kGc);
    finding.claim.stages.insert(finding.claim.stages.end(), of_stage.stages.begin(), of_stage.stages.end());
  }
  return finding;
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

}  // namespace sparkprof
