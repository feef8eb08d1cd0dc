// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>

#include "analysis/findings/advice.h"
#include "analysis/findings/log_values.h"
#include "analysis/findings/plans/reader_jobs.h"
#include "analysis/findings/python/python_work.h"
#include "analysis/findings/python/worker_times.h"
#include "analysis/findings/rules.h"
#include "analysis/findings/scheduling/partition_advice.h"
#include "base/text/text.h"
#include "base/time.h"

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
  int64_t overhead_ns = has_metrics
                            ? std::max<int64_t>(0, total_ns - summary.Total(TaskMetric::kExecutorRunTime))
                            : static_cast<int64_t>(static_cast<double>(total_ns) * (own > 0 ? own : kMostlyStart));
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

}  // namespace sparkprof
