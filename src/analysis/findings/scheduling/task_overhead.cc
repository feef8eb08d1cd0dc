// SPDX-License-Identifier: Apache-2.0
#include "analysis/findings/plans/reader_jobs.h"
#include "analysis/findings/python/python_work.h"
#include "analysis/findings/python/worker_times.h"
#include "analysis/findings/rules.h"
#include "analysis/findings/scheduling/partition_advice.h"
#include "analysis/findings/scheduling/stage_tasks.h"

namespace sparkprof {
namespace {

constexpr size_t kManyTinyTasks = 200;
constexpr int64_t kManyPerCore = 20;
constexpr int64_t kManyCommits = 5;
constexpr int64_t kTinyNs = 200 * kNanosPerMilli;
constexpr int64_t kLittleDataOfTask = int64_t{64} << 10;  // per task
constexpr int64_t kDelayedNs = 2 * kNanosPerSecond;  // duration of a task with little data and work on a busy machine
constexpr int64_t kGoodNs = kNanosPerSecond;         // at this length, the startup cost of a task is negligible
constexpr double kMuchStart = 0.05;                  // share of task time
constexpr double kMaxSleeping = 0.3;                 // share of samples, in the JVM and in Python
constexpr double kMostlyStart = 0.7;                 // share of a tiny task in text logs, which lack run times

// True if the median task has little data and computes less than a tiny task. On a busy machine it takes longer.
bool HaveLittleToDo(const StageSummary& summary, const PythonWork& python) {
  if (summary.Total(TaskMetric::kExecutorCpuTime) == 0) return false;
  // Samples show the work of tasks with unknown data, such as those of parallelize(), unless they sleep.
  const double sleeps = Share(summary.sleep_ns, summary.wall_samples_ns) + Share(python.sleep_ns, python.wall_ns);
  const bool is_work_known = summary.wall_samples_ns > 0 && sleeps < kMaxSleeping;
  // Without samples, Python may compute.
  const int64_t most_ns = summary.wall_samples_ns > 0 ? kDelayedNs : kGoodNs;
  const int64_t data = std::max(summary.Of(TaskMetric::kInputBytes).p50, summary.Of(TaskMetric::kShuffleReadBytes).p50);
  const int64_t cpu_ns = summary.Of(TaskMetric::kExecutorCpuTime).p50 +
                         (is_work_known ? python.cpu_ns : python.all_cpu_ns) /
                             static_cast<int64_t>(std::max<size_t>(1, summary.tasks.size()));
  return (data > 0 || is_work_known) && data <= kLittleDataOfTask && cpu_ns < kTinyNs &&
         summary.Of(TaskMetric::kDuration).p50 < most_ns;
}

// True if a library's setting determines the number of tasks, and they have next to no data: each costs the same,
// however many there are.
bool IsDividedBySetting(const FindingInput& input, const Stage& stage, const StageSummary& summary) {
  const int64_t data = std::max(summary.Of(TaskMetric::kInputBytes).p50, summary.Of(TaskMetric::kShuffleReadBytes).p50);
  return !WorkOf(input, stage).partitions.empty() && data <= kLittleDataOfTask &&
         summary.Of(TaskMetric::kDuration).p50 < kDelayedNs;
}

// The fastest task's duration without CPU time of the job's own code, multiplied by the number of tasks.
int64_t FixedCost(const StageSummary& summary, const PythonWork& python) {
  const auto count = static_cast<int64_t>(summary.tasks.size());
  const int64_t work_ns = summary.Of(TaskMetric::kExecutorCpuTime).p50 + python.cpu_ns / count;
  return std::max<int64_t>(0, summary.Of(TaskMetric::kDuration).min - work_ns) * count;
}

// Task time beyond the processing of rows: a task with few rows still starts, opens files and sends its result. 0 if
// the rows or their code are unknown.
int64_t CostBesideRows(const FindingInput& input, const Stage& stage, const StageSummary& summary) {
  constexpr int64_t kNsPerRow = 5'000, kNsPerByte = 50;  // generous cost of a scan, a sort and an aggregation
  const int64_t rows =
      std::max(summary.Total(TaskMetric::kInputRecords), summary.Total(TaskMetric::kShuffleReadRecords));
  const int64_t bytes = std::max(summary.Total(TaskMetric::kInputBytes), summary.Total(TaskMetric::kShuffleReadBytes));
  const int64_t data = std::max(summary.Of(TaskMetric::kInputBytes).p50, summary.Of(TaskMetric::kShuffleReadBytes).p50);
  if (rows == 0 || data > kLittleDataOfTask || UsesPython(input.application, stage, summary)) return 0;
  const double work_ns = static_cast<double>(rows) * kNsPerRow + static_cast<double>(bytes) * kNsPerByte;
  return std::max<int64_t>(0, summary.Total(TaskMetric::kDuration) - static_cast<int64_t>(work_ns));
}

// The share of task time before the first row of Python workers, by text logs, if the stage has most of the tasks with
// workers and they do little afterwards; otherwise 0.
double OwnShareInLogs(const FindingInput& input, const StageSummary& summary) {
  const PythonLogTimes times = PythonTimesInLogs(input.application);
  // Chained functions may have separate workers.
  constexpr double kMaxWorkers = 0.4;
  if (times.count == 0 || Share(static_cast<int64_t>(summary.tasks.size()), times.count) < kMaxWorkers) return 0;
  const int64_t work_ns = (times.total_ns - times.own_ns) / times.count;
  const bool is_tiny = work_ns < kTinyNs && summary.Of(TaskMetric::kDuration).p50 < kDelayedNs;
  return is_tiny ? std::min(1.0, Share(times.own_ns, TaskTime(input.application))) : 0;
}

// The cost of a task besides its work, including its Python worker.
std::vector<Claim::OfStage> OverheadOf(const FindingInput& input, const StageSummary& summary) {
  constexpr std::pair<AccountPart, TaskMetric> kParts[] = {
      {AccountPart::kSchedulerDelay, TaskMetric::kSchedulerDelay},
      {AccountPart::kDeserialization, TaskMetric::kDeserializeTime},
      {AccountPart::kResultSerialization, TaskMetric::kResultSerializationTime},
      {AccountPart::kGettingResult, TaskMetric::kGettingResultTime}};
  std::vector<Claim::OfStage> claimed;
  const auto add = [&](int64_t ns, std::optional<AccountPart> part) {
    const Claim of_part = ClaimTasks(input, summary, ns, kWhole, part);
    claimed.insert(claimed.end(), of_part.stages.begin(), of_part.stages.end());
  };
  for (const auto& [part, metric] : kParts) add(summary.Total(metric), part);
  add(TimeOfCpuSamples(summary, WorkOfPython(input.application, summary).zip_ns), AccountPart::kPython);
  return claimed;
}

constexpr double kManyEmpty = 0.3;  // share of tasks
constexpr size_t kManyTasks = 10;

struct EmptyTasks {
  int64_t count = 0;
  int64_t time_ns = 0;
};

EmptyTasks EmptyTasksOf(const Tasks& tasks, const StageSummary& summary) {
  const MetricColumn &read = tasks.Column(TaskMetric::kInputRecords),
                     &fetched = tasks.Column(TaskMetric::kShuffleReadRecords),
                     &duration = tasks.Column(TaskMetric::kDuration);
  EmptyTasks empty;
  for (const uint32_t task : summary.tasks) {
    if (tasks.outcome[task] != TaskOutcome::kSucceeded || read[task] > 0 || fetched[task] > 0) continue;
    ++empty.count;
    empty.time_ns += duration[task];
  }
  return empty;
}

constexpr double kMuchDelay = 0.2;     // share of the tasks' duration
constexpr double kDelayAtStart = 0.6;  // share of the delay

constexpr int64_t kManyTasksPerCore = 4;              // the first tasks of an executor load classes
constexpr int64_t kLongLoadNs = 20 * kNanosPerMilli;  // median task; a small closure needs less

// "; Spark warned: Broadcasting large task binary with size 4.2 MiB" if the logs have it.
std::string WarningOf(const LogRecords& logs) {
  for (size_t row = 0; row < logs.Size(); ++row) {
    const std::string_view text = logs.templates[logs.template_row[row]].text;
    if (text.starts_with("Broadcasting large task binary"))
      return fmt::format("; Spark warned: {}", Shorten(ToOneLine(logs.Text(row)), 100));
  }
  return {};
}

// True if the stage's tasks may carry data of the program: in a function, or as rows. Operators of queries carry
// little.
bool MayCarryData(const Application& application, const Stage& stage) {
  const std::vector<PlanOperator> operators = OperatorsOfStage(application, stage);
  return operators.empty() || std::ranges::any_of(operators, [](const PlanOperator& one) {
           constexpr std::string_view kWithData[] = {"Map",    "ExistingRDD",    "Python",
                                                     "Pandas", "LocalTableScan", "Deserialize"};
           const std::string_view name = one.plan->name;
           return one.plan->text.find("UDF(") != std::string::npos ||
                  std::ranges::any_of(kWithData, [&](std::string_view part) { return Contains(name, part); });
         });
}

}  // namespace

std::optional<Finding> FindTinyTasks(const FindingInput& input, const Stage& stage, const StageSummary& summary) {
  const int64_t count = static_cast<int64_t>(summary.tasks.size());
  const int64_t median_ns = summary.Of(TaskMetric::kDuration).p50;
  const int64_t cores = input.cores;
  if (summary.tasks.size() < kManyTinyTasks || count < kManyPerCore * cores) return std::nullopt;
  const auto stages = static_cast<int64_t>(std::max<size_t>(1, summary.group.size()));
  const int64_t of_each = count / stages;
  if (of_each <= cores) return std::nullopt;  // fewer tasks would leave cores idle
  if (IsOfReaderJob(input.application, stage)) return std::nullopt;
  const PythonWork python = WorkOfPython(input.application, summary);
  const bool is_of_setting = IsDividedBySetting(input, stage, summary);
  const bool have_little = is_of_setting || HaveLittleToDo(summary, python);
  const bool has_metrics = summary.Total(TaskMetric::kExecutorRunTime) > 0;
  const double own = has_metrics ? 0 : OwnShareInLogs(input, summary);
  if (median_ns >= kTinyNs && !have_little && own == 0) return std::nullopt;
  const int64_t total_ns = summary.Total(TaskMetric::kDuration);
  // Time outside of a task's own code: shipping, deserializing, sending the result.
  int64_t overhead_ns = has_metrics ? std::max<int64_t>(0, total_ns - summary.Total(TaskMetric::kExecutorRunTime))
                                    : Scaled(total_ns, own > 0 ? own : kMostlyStart);
  // The Python worker of each task repeats it.
  overhead_ns = std::min(total_ns, overhead_ns + TimeOfCpuSamples(summary, python.zip_ns));
  const int64_t others_ns = total_ns - total_ns / of_each * std::min(of_each, cores);  // all but one task per core
  const int64_t fixed_ns = is_of_setting ? others_ns
                           : have_little ? std::max(FixedCost(summary, python), CostBesideRows(input, stage, summary))
                                         : 0;
  const bool is_by_fastest = fixed_ns > overhead_ns;
  overhead_ns = std::max(overhead_ns, fixed_ns);
  if (Share(overhead_ns, total_ns) < kMuchStart) return std::nullopt;
  Finding finding;
  finding.title = stages > 1 ? fmt::format("{} stages of {} tiny tasks", CountText(stages), CountText(of_each))
                             : fmt::format("Stage {}: {} tiny tasks", stage.id, CountText(count));
  finding.what = fmt::format("Half of the {} tasks of {} take less than {}", CountText(count), StageText(input, stage),
                             FormatDuration(std::max<int64_t>(median_ns, kNanosPerMilli)));
  if (stages > 1) finding.what += ", with those of equal stages";
  finding.evidence =
      fmt::format("{} of {} task time was spent on starting tasks and fetching results; {} tasks per core",
                  FormatShare(Share(overhead_ns, total_ns)), FormatDuration(total_ns), count / cores);
  if (is_by_fastest) {
    finding.evidence = fmt::format(
        "the median task reads {}, the fastest takes {}; {} tasks per core",
        FormatBytes(std::max(summary.Of(TaskMetric::kInputBytes).p50, summary.Of(TaskMetric::kShuffleReadBytes).p50)),
        FormatDuration(summary.Of(TaskMetric::kDuration).min), count / cores);
  }
  finding.condition = fmt::format(
      "A stage, or the equal stages of a line or of a library's operation, has at least {} tasks, at least {} per "
      "core, the median takes less than {}, or has at most {} of data, as little CPU time (unless a library's setting "
      "divides it) and takes less than {} (without samples, {}), and at least {} of their time is spent on starting "
      "them and fetching results, or is what the fastest of tasks with little to do takes, or more than their rows can "
      "take",
      kManyTinyTasks, kManyPerCore, FormatDuration(kTinyNs), FormatBytes(kLittleDataOfTask), FormatDuration(kDelayedNs),
      FormatDuration(kGoodNs), FormatShare(kMuchStart));
  finding.selection = SelectStage(stage, Event::kCpu);
  const int64_t wanted =
      std::clamp<int64_t>((total_ns - overhead_ns) / stages / kGoodNs, std::min(of_each, cores), of_each);
  finding.change = FewerPartitionsAdvice(input, stage, summary, wanted);
  const bool is_of_commits = WorkOf(input, stage).line.ends_with("after each commit");
  if (is_of_commits && stages >= kManyCommits)
    finding.change += ". Each commit costs it again: put the changes of several MERGE or write commands into one";
  finding.claim = is_by_fastest ? ClaimTasks(input, summary, std::min(overhead_ns, others_ns), kMost)
                                : ClaimTasks(input, summary, overhead_ns, kWhole);
  if (has_metrics && !is_by_fastest) finding.claim.stages = OverheadOf(input, summary);
  return finding;
}

std::optional<Finding> FindEmptyPartitions(const FindingInput& input, const Stage& stage, const StageSummary& summary) {
  const int64_t fetched = summary.Total(TaskMetric::kShuffleReadRecords),
                records = fetched + summary.Total(TaskMetric::kInputRecords);
  if (records == 0 || summary.tasks.size() < kManyTasks) return std::nullopt;
  const EmptyTasks empty = EmptyTasksOf(input.application.tasks, summary);
  const auto count = static_cast<int64_t>(summary.tasks.size());
  const double share = Share(empty.count, count);
  const int64_t wall_ns = WallTimeOf(input, summary, empty.time_ns);
  if (share < kManyEmpty || wall_ns < kWorthwhileNs) return std::nullopt;
  Finding finding;
  const std::string tasks = fmt::format("{} of {} tasks get no record", CountText(empty.count), CountText(count));
  // Counts the tasks of all equal stages.
  finding.title = summary.group.size() > 1 ? tasks : fmt::format("Stage {}: {}", stage.id, tasks);
  finding.what = fmt::format("{} of the tasks of {} read nothing", FormatShare(share), StageText(input, stage));
  finding.evidence =
      fmt::format("they take {} of {} task time; the others read {} records", FormatDuration(empty.time_ns),
                  FormatDuration(summary.Total(TaskMetric::kDuration)), CountText(records));
  finding.condition = fmt::format(
      "At least {} of at least {} tasks of a stage that reads records read none, and take at least {} of its time",
      FormatShare(kManyEmpty), kManyTasks, FormatDuration(kWorthwhileNs));
  finding.selection = SelectStage(stage, Event::kWall);
  if (fetched == 0) {
    finding.change =
        "Divide the source by its data: bounds of a JDBC source (lowerBound, upperBound) that match the column's "
        "values, larger splits (spark.sql.files.maxPartitionBytes), or coalesce() after a filter that leaves little";
  } else if (WorkOf(input, stage).partitions.empty()) {
    finding.change =
        "Use fewer partitions than the shuffle has keys: lower spark.sql.shuffle.partitions or the number given to "
        "repartition(), or let adaptive execution join small partitions "
        "(spark.sql.adaptive.coalescePartitions.enabled=true)";
  } else {
    finding.change = FewerPartitionsAdvice(input, stage, summary, input.cores);
  }
  finding.claim = ClaimTasks(input, summary, empty.time_ns, kMost);
  return finding;
}

std::optional<Finding> FindSchedulerDelays(const FindingInput& input, const Stage& stage, const StageSummary& summary) {
  const int64_t delay_ns = summary.Total(TaskMetric::kSchedulerDelay);
  const int64_t duration_ns = summary.Total(TaskMetric::kDuration);
  if (delay_ns < kWorthwhileNs || Share(delay_ns, duration_ns) < kMuchDelay) return std::nullopt;
  // A starting executor runs its first tasks late, and the driver waits for it.
  int64_t at_start_ns = 0;
  for (const uint32_t task : TasksAtStartOfExecutors(input, summary))
    at_start_ns += input.application.tasks.Column(TaskMetric::kSchedulerDelay)[task];
  if (Share(at_start_ns, delay_ns) >= kDelayAtStart) return std::nullopt;
  // FindTinyTasks handles very short tasks.
  if (WallTimeOf(input, summary, delay_ns) < kWorthwhileNs) return std::nullopt;
  Finding finding;
  finding.title = fmt::format("Stage {}: scheduler delay takes {} of task time", stage.id,
                              FormatShare(Share(delay_ns, duration_ns)));
  finding.what = fmt::format("{} of the task time of {} was spent on sending tasks and receiving results",
                             FormatShare(Share(delay_ns, duration_ns)), StageText(input, stage));
  finding.evidence = fmt::format("scheduler delay {} of {}", FormatDuration(delay_ns), FormatDuration(duration_ns));
  if (summary.tasks.size() > 1) {
    finding.evidence += fmt::format(", {} for the median task, {} for the slowest",
                                    FormatDuration(summary.Of(TaskMetric::kSchedulerDelay).p50),
                                    FormatDuration(summary.Of(TaskMetric::kSchedulerDelay).max));
  }
  finding.condition = fmt::format(
      "Scheduler delay (duration minus run time, deserialization, serialization and fetching of the result) is at "
      "least {} of task time and at least {}",
      FormatShare(kMuchDelay), FormatDuration(kWorthwhileNs));
  finding.selection = SelectStage(stage, Event::kCpu);
  finding.selection.stage.reset();
  finding.selection.stage_attempt.reset();
  finding.selection.executor = "driver";
  // Each of very many tasks waits for the few moments that the driver needs for it.
  constexpr int64_t kManyTasksPerCore = 50;
  finding.change =
      static_cast<int64_t>(summary.tasks.size()) >= kManyTasksPerCore * input.cores
          ? "Use fewer and longer tasks: larger files, fewer partitions"
          : "Check the driver at that time: GC, a busy scheduler thread, large closures or results. Broadcast large "
            "closure data, use fewer and longer tasks, or increase the driver's cores or memory";
  finding.claim = ClaimTasks(input, summary, delay_ns, kMost, AccountPart::kSchedulerDelay);
  return finding;
}

std::optional<Finding> FindLargeClosures(const FindingInput& input, const Stage& stage, const StageSummary& summary) {
  const auto count = static_cast<int64_t>(summary.tasks.size());
  // Users cannot change a library's function.
  if (count < kManyTasksPerCore * input.cores || !WorkOf(input, stage).library.empty()) return std::nullopt;
  const int64_t median_ns = summary.Of(TaskMetric::kDeserializeTime).p50;
  const int64_t total_ns = summary.Total(TaskMetric::kDuration);
  const int64_t in_jvm_ns = median_ns >= kLongLoadNs ? std::min(median_ns * count, total_ns) : 0;
  const PythonWork work = WorkOfPython(input.application, summary);
  const bool by_jvm =
      in_jvm_ns >= kWorthwhileNs && Share(in_jvm_ns, total_ns) >= kMuchOfCode && MayCarryData(input.application, stage);
  const bool by_python = work.closure_ns >= kWorthwhileNs && Share(work.closure_ns, work.all_cpu_ns) >= kMuchOfCode;
  if (!by_jvm && !by_python) return std::nullopt;
  Finding finding;
  if (by_python) {
    const std::string share = FormatShare(Share(work.closure_ns, work.all_cpu_ns));
    finding.title =
        fmt::format("Stage {}: unpickling the function in each task takes {} of Python's CPU time", stage.id, share);
    finding.what = fmt::format("The Python workers of {} tasks of {} read the function and the data that it refers to",
                               count, StageText(input, stage));
    finding.evidence = fmt::format("{} of {} of CPU samples of the Python workers", FormatDuration(work.closure_ns),
                                   FormatDuration(work.all_cpu_ns));
    finding.claim = ClaimTasks(input, summary, work.closure_ns, kMost);
  } else {
    finding.title = fmt::format("Stage {}: deserializing the function in each task takes {} of task time", stage.id,
                                FormatShare(Share(in_jvm_ns, total_ns)));
    finding.what = fmt::format("Each of the {} tasks of {} deserializes its function and the data that it refers to",
                               count, StageText(input, stage));
    finding.evidence =
        fmt::format("{} for the median task, {} in total of {} task time", FormatDuration(median_ns),
                    FormatDuration(summary.Total(TaskMetric::kDeserializeTime)), FormatDuration(total_ns));
    finding.claim = ClaimTasks(input, summary, in_jvm_ns, kMost, AccountPart::kDeserialization);
  }
  finding.evidence += WarningOf(input.application.logs);
  finding.condition = fmt::format(
      "In a stage with at least {} tasks per core, deserialization takes at least {} of the median task and {} of task "
      "time, or unpickling functions takes at least {} of the CPU time of its Python workers; and at least {}",
      kManyTasksPerCore, FormatDuration(kLongLoadNs), FormatShare(kMuchOfCode), FormatShare(kMuchOfCode),
      FormatDuration(kWorthwhileNs));
  finding.selection = SelectStage(stage, Event::kCpu);
  finding.change =
      "Do not refer to large data in the function: pass it as a broadcast variable (sc.broadcast), which each executor "
      "reads once, or join with it. Copy the fields that a function needs to local variables, so that it does not "
      "carry the object around them. Use fewer and longer tasks";
  return finding;
}

}  // namespace sparkprof
