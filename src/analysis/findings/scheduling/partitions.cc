// SPDX-License-Identifier: Apache-2.0
#include "analysis/findings/python/python_work.h"
#include "analysis/findings/python/worker_times.h"
#include "analysis/findings/rules.h"
#include "analysis/findings/scheduling/partition_advice.h"

namespace sparkprof {
namespace {

constexpr int64_t kGoodBytes = int64_t{128} << 20;  // per partition
constexpr int64_t kLittleData = int64_t{1} << 20;   // per stage
constexpr int64_t kLongStageNs = 2 * kNanosPerSecond;
constexpr double kHalfUsed = 0.5;       // share of cores
constexpr double kMostlyDelayed = 0.5;  // share of task time
// Thresholds for a stage with one task if the number of cores is unknown.
constexpr int64_t kLongSingleTaskNs = 5 * kNanosPerSecond;
constexpr double kMostOfDuration = 0.5;
constexpr int64_t kLogSecondNs = kNanosPerSecond;  // logs may have whole seconds

// Time in which a stage's tasks start Python workers and import their modules, as each task of more partitions would,
// too.
int64_t PythonStartTime(const FindingInput& input, const Stage& stage, const StageSummary& summary) {
  const Application& application = input.application;
  if (HasOnlyLogs(application)) return PythonTimesInLogs(application).starting_ns;
  if (summary.wall_samples_ns > 0) {
    const PythonWork work = WorkOfPython(application, summary);
    return summary.python_start_ns + work.import_ns + work.start_import_ns + work.zip_ns + work.closure_ns;
  }
  const PythonMetrics metrics = PythonMetricsOf(application, stage);
  return metrics.start_ns + metrics.initialize_ns;
}

// A text log without concurrent tasks does not show whether a second core was available.
bool AreCoresUnknown(const FindingInput& input) { return input.cores == 1 && HasOnlyLogs(input.application); }

// True if tasks of a stage read a gzip file, which only one task can read, by text logs.
bool ReadsGzip(const FindingInput& input, int64_t begin_ns, int64_t end_ns) {
  bool reads = false;
  const auto see = [&](std::string_view text, int64_t time_ns) {
    const bool is_gzip =
        text.find(".gz, range: ") != std::string_view::npos ||  // "Reading File path: a.gz, range: 0-9"
        Contains(text, ".gz:0+");                               // "Input split: a.gz:0+9"
    reads |= is_gzip && time_ns >= begin_ns - kLogSecondNs && time_ns <= end_ns;
  };
  if (!HasOnlyLogs(input.application)) return false;
  ForEachRecord(input.application.logs, "Reading File path: ", see);
  ForEachRecord(input.application.logs, "Input split: ", see);
  return reads;
}

// The average number of cores that run tasks of other stages in this time.
int64_t CoresOfOthers(const FindingInput& input, const StageSummary& summary, int64_t begin_ns, int64_t end_ns) {
  const Tasks& tasks = input.application.tasks;
  const int32_t stage = tasks.stage[summary.tasks.front()];
  int64_t busy_ns = 0;
  for (size_t task = 0; task < tasks.Size(); ++task) {
    if (tasks.stage[task] == stage || tasks.launch_ns[task] == 0) continue;
    const int64_t common_ns = std::min(tasks.finish_ns[task], end_ns) - std::max(tasks.launch_ns[task], begin_ns);
    AddSaturated(std::max<int64_t>(0, common_ns), &busy_ns);
  }
  return std::llround(Share(busy_ns, end_ns - begin_ns));
}

// True if all windows of the stage are totals of all rows: without an order, each row has the same value.
bool HasOnlyTotals(const Application& application, const Stage& stage) {
  const std::vector<PlanOperator> operators = OperatorsOfStage(application, stage);
  const auto is_window = [](const PlanOperator& one) { return one.kind == "Window"; };
  return std::ranges::any_of(operators, is_window) && std::ranges::all_of(operators, [&](const PlanOperator& one) {
           constexpr std::string_view kNoOrder = "windowspecdefinition(specifiedwindowframe(";
           return !is_window(one) || Contains(one.plan->text, kNoOrder);
         });
}

// True if the query requires a single task: a total of all rows, a limit, or the end of a sort for it.
bool IsOneByDefinition(const Application& application, const Stage& stage) {
  const std::vector<PlanOperator> operators = OperatorsOfStage(application, stage);
  const auto has = [&](auto&& is_it) { return std::ranges::any_of(operators, is_it); };
  // The first of an exchange's stages writes its rows and may have any number of tasks.
  const auto reads = [&](const PlanOperator& one) {
    return std::ranges::any_of(one.stages, [&](int64_t id) { return id < stage.id; });
  };
  const bool is_single = has([&](const PlanOperator& one) {
    return (Contains(one.plan->text, "SinglePartition") && reads(one)) || one.kind.starts_with("TakeOrdered") ||
           one.kind.ends_with("Limit");
  });
  return is_single && !has([](const PlanOperator& one) { return one.kind == "Window"; });
}

// Eight times Spark's default size for partitions of files (spark.sql.files.maxPartitionBytes).
constexpr int64_t kLargePartition = int64_t{1} << 30;
constexpr int64_t kGoodPartition = int64_t{128} << 20;
constexpr int64_t kLongTaskNs = 60 * kNanosPerSecond;  // repeating a shorter task loses little

}  // namespace

bool HasFewPartitions(const FindingInput& input, int64_t count) {
  return static_cast<double>(count) <= kHalfUsed * static_cast<double>(input.cores);
}

int64_t PartitionsWanted(const FindingInput& input, const StageSummary& summary) {
  const int64_t bytes = std::max(summary.Total(TaskMetric::kInputBytes), summary.Total(TaskMetric::kShuffleReadBytes));
  return std::max({2 * input.cores, bytes / kGoodBytes, PartitionsWithoutSpill(summary)});
}

std::optional<Finding> FindFewPartitions(const FindingInput& input, const Stage& stage, const StageSummary& summary) {
  const auto [begin_ns, end_ns] = TaskSpan(input, summary);
  const int64_t span_ns = end_ns - begin_ns;
  const auto attempts = static_cast<int64_t>(summary.tasks.size());
  if (attempts == 0 || stage.task_count > attempts || span_ns < kLongStageNs) return std::nullopt;
  const int64_t count = stage.task_count > 0 ? stage.task_count : attempts;  // copies and retries are not partitions
  // toLocalIterator() runs a job for each partition.
  const bool is_iterated = stage.name.starts_with("toLocalIterator at ");
  if (count == 1 && summary.Total(TaskMetric::kShuffleReadBytes) > 0 &&
      (is_iterated || IsOneByDefinition(input.application, stage)))
    return std::nullopt;
  const bool is_gzip =
      count == 1 && Share(span_ns, input.duration_ns) >= kMuchOfTime && ReadsGzip(input, begin_ns, end_ns);
  const bool is_long = span_ns >= kLongSingleTaskNs && Share(span_ns, input.duration_ns) >= kMostOfDuration;
  const bool is_single = AreCoresUnknown(input) && count == 1 && (is_long || is_gzip);
  if (!is_single && !HasFewPartitions(input, count)) return std::nullopt;
  const int64_t cores = is_single ? 2 : input.cores;
  const int64_t python_start_ns = std::min(span_ns, PythonStartTime(input, stage, summary) / attempts);
  // Each task of more partitions would also load classes, and send the task and its result.
  const int64_t run_ns = summary.Total(TaskMetric::kExecutorRunTime);
  const int64_t send_ns =
      run_ns == 0 ? 0 : std::max<int64_t>(0, summary.Total(TaskMetric::kDuration) - run_ns) / attempts;
  const int64_t start_ns = python_start_ns + send_ns;
  // A task with next to no data loads classes on a busy host; there is little to divide.
  const int64_t bytes = summary.Total(TaskMetric::kInputBytes) + summary.Total(TaskMetric::kShuffleReadBytes);
  const bool has_little = bytes > 0 && bytes < kLittleData;
  const int64_t starved_ns =
      has_little ? std::max<int64_t>(0, summary.runnable_ns - summary.cpu_samples_ns) / count : 0;
  const int64_t work_ns = span_ns - std::min(span_ns, start_ns + starved_ns);
  if (work_ns < kLongStageNs || Share(work_ns, input.duration_ns) < kMuchOfTime) return std::nullopt;
  // More partitions do not divide a wait for the driver.
  const double delayed = Share(summary.Total(TaskMetric::kSchedulerDelay), summary.Total(TaskMetric::kDuration));
  if (delayed > kMostlyDelayed) return std::nullopt;
  // Concurrent stages share the cores.
  const int64_t used = count + (is_single ? 0 : CoresOfOthers(input, summary, begin_ns, end_ns));
  if (!is_single && !HasFewPartitions(input, used)) return std::nullopt;
  Finding finding;
  const bool is_of_window = HasWindowOfAllRows(input.application, stage);
  if (is_single) {
    finding.title =
        fmt::format("Stage {}: 1 task takes {}, and no other runs meanwhile", stage.id, FormatDuration(span_ns));
    finding.what = fmt::format("The only task of {} took {} of the time. No two tasks run at once in the log",
                               StageText(input, stage), FormatShare(Share(span_ns, input.duration_ns)));
  } else {
    finding.title = fmt::format("Stage {}: {} task{} for {} cores", stage.id, count, count == 1 ? "" : "s", cores);
    finding.what = fmt::format("The {} task{} of {} took {}, and {} had nothing to do", count, count == 1 ? "" : "s",
                               StageText(input, stage), FormatDuration(span_ns), Counted(cores - used, "core"));
    if (is_of_window)
      finding.title = fmt::format("Stage {}: a window without PARTITION BY puts all rows into 1 task", stage.id);
  }
  finding.evidence = fmt::format("the longest task took {}", FormatDuration(summary.Of(TaskMetric::kDuration).max));
  if (is_gzip) finding.evidence += "; it reads a gzip file, which only one task can read";
  if (python_start_ns > 0)
    finding.evidence += fmt::format("; {} of it to start Python workers", FormatDuration(python_start_ns));
  finding.condition = fmt::format(
      "A stage of at least {} and {} of the application's duration, without the start of Python workers, has tasks for "
      "at most {} of the cores; if a text log does not show the number of cores, at least {} and {}, and one task, or "
      "one that reads a gzip file",
      FormatDuration(kLongStageNs), FormatShare(kMuchOfTime), FormatShare(kHalfUsed), FormatDuration(kLongSingleTaskNs),
      FormatShare(kMostOfDuration));
  finding.selection = SelectStage(stage, Event::kCpu);
  const bool is_total = is_of_window && HasOnlyTotals(input.application, stage);
  finding.change =
      is_total ? "Compute the total once, by an aggregate, and add its one row to all others: a scalar subquery in "
                 "SQL, or crossJoin(). Then no rows move"
      : is_of_window
          ? std::string(
                "Give the window a column to partition by. For a running total, add up by a coarser column first (a "
                "day), and begin each partition with the total of those before it")
          : fmt::format("Use at least {} partitions: {}", CountText(PartitionsWanted(input, summary)),
                        is_gzip ? std::string("repartition() the rows after reading, or use files that can be split")
                                : MorePartitionsAdvice(input.application, stage, summary));
  // More tasks would do the rest of the work concurrently. If the cores are unknown, there may be only one.
  finding.claim.removal = is_single ? kSome : kMost;
  finding.claim.is_moved = !is_single && !is_total;
  for (const uint32_t task : summary.tasks) {
    const int64_t divided_ns =
        std::max<int64_t>(0, input.application.tasks.Column(TaskMetric::kDuration)[task] - start_ns - starved_ns);
    finding.claim.tasks.push_back({task, is_total ? divided_ns : divided_ns - divided_ns * count / cores});
  }
  return finding;
}

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
