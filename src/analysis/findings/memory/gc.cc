// SPDX-License-Identifier: Apache-2.0
#include "analysis/findings/rules.h"
#include "analysis/findings/scheduling/stage_tasks.h"

namespace sparkprof {
namespace {

constexpr int64_t kLargeHeapOfCore = int64_t{4} << 30;  // tasks seldom need more
constexpr int64_t kLargeHeap = int64_t{16} << 30;       // for any number of cores

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
    if (one.stages.empty() || !Contains(one.kind, "Aggregate")) continue;
    for (const std::string_view function : {"collect_list", "collect_set"}) {
      if (Contains(one.plan->text, function)) return function;
    }
  }
  return {};
}

constexpr double kSomeGc = 0.03;  // share of time if there are very many collections
constexpr double kManyPerSecond = 10;

struct Collections {
  int64_t gc_ns = 0;
  int64_t span_ns = 0;
  double count = 0;

  double PerSecond() const { return span_ns == 0 ? 0 : count * 1e9 / static_cast<double>(span_ns); }
  bool AreMany() const {
    const double share = Share(gc_ns, span_ns);
    return gc_ns >= kWorthwhileNs && (share >= kMuchOfTime || (share >= kSomeGc && PerSecond() >= kManyPerSecond));
  }
};

// For each process, the series that cover all of its collections.
std::map<std::pair<int32_t, int32_t>, Collections> CollectionsOf(const Application& application) {
  std::map<std::pair<int32_t, int32_t>, Collections> processes;
  for (const ApplicationSeries& series : application.series) {
    if ((series.name == "jvm.gc_count" || series.name == "jvm.gc_young_count") && series.points.size() >= 2) {
      double& count = processes[{series.executor, series.process}].count;
      count = std::max(count, series.points.back().value - series.points.front().value);
    }
    const bool is_part = series.name == "jvm.gc_young_time_ns" || series.name == "jvm.gc_old_time_ns";
    if ((!is_part && series.name != "jvm.gc_time_ns") || series.points.size() < 2) continue;
    Collections& process = processes[{series.executor, series.process}];
    const auto gc_ns = static_cast<int64_t>(series.points.back().value - series.points.front().value);
    process.gc_ns = is_part ? process.gc_ns + gc_ns : std::max(process.gc_ns, gc_ns);
    process.span_ns = std::max(process.span_ns, series.points.back().time_ns - series.points.front().time_ns);
  }
  return processes;
}

}  // namespace

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
      "Garbage collection took {} of the time of all tasks. Most of it is in the first tasks of executors: while "
      "classes load, the metaspace and a small heap fill up again and again",
      FormatShare(share));
  finding.evidence = fmt::format("GC time {} of {} task time", FormatDuration(gc_ns), FormatDuration(task_ns));
  finding.condition = fmt::format(
      "GC time is at least {} of the time of all tasks and at least {}, and no stage has a finding of its own",
      FormatShare(kMuchOfTime), FormatDuration(kWorthwhileNs));
  finding.selection.event = EventName(Event::kAlloc);
  finding.change = fmt::format(
      "Start the JVMs with a larger heap and metaspace (-Xms1g -XX:MetaspaceSize=256m in {}), and run several short "
      "jobs in one application. A long job is not affected",
      IsLocal(input.application) ? "spark.driver.extraJavaOptions" : "spark.executor.extraJavaOptions");
  finding.claim.removal = kHalf;
  for (const StageSummary& summary : input.stages) {
    const Claim of_stage = ClaimTasks(input, summary, summary.Total(TaskMetric::kGcTime), kHalf, AccountPart::kGc);
    finding.claim.stages.insert(finding.claim.stages.end(), of_stage.stages.begin(), of_stage.stages.end());
  }
  return finding;
}

std::optional<Finding> FindGcOfProcesses(const FindingInput& input) {
  // Spark's task metrics are more accurate.
  const bool has_metrics = std::ranges::any_of(
      input.stages, [](const StageSummary& stage) { return stage.Total(TaskMetric::kExecutorRunTime) > 0; });
  if (has_metrics) return std::nullopt;
  Collections worst;
  for (const auto& [key, process] : CollectionsOf(input.application)) {
    if (Share(process.gc_ns, process.span_ns) > Share(worst.gc_ns, worst.span_ns)) worst = process;
  }
  const double share = Share(worst.gc_ns, worst.span_ns);
  if (!worst.AreMany()) return std::nullopt;
  Finding finding;
  finding.title = fmt::format("GC takes {} of a JVM's time", FormatShare(share));
  finding.what = fmt::format("Garbage collection took {} of {} in one of the JVMs", FormatDuration(worst.gc_ns),
                             FormatDuration(worst.span_ns));
  finding.evidence = worst.count > 0
                         ? fmt::format("{:.0f} collections, {:.1f} per second", worst.count, worst.PerSecond())
                         : std::string("series of the time in collections");
  finding.condition = fmt::format(
      "Without task metrics in the inputs: GC takes at least {} of a JVM's time and {}, or {} with {} collections per "
      "second",
      FormatShare(kMuchOfTime), FormatDuration(kWorthwhileNs), FormatShare(kSomeGc), kManyPerSecond);
  finding.selection.event = EventName(Event::kAlloc);
  finding.change =
      "Keep fewer objects in memory at once, cache less or serialized data, or increase the heap "
      "(spark.executor.memory, spark.driver.memory). An allocation profile shows the code that allocates";
  finding.claim = ClaimWall(worst.gc_ns, kHalf);
  return finding;
}

}  // namespace sparkprof
