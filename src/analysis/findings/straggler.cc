// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "analysis/findings/advice.h"
#include "analysis/findings/first_tasks.h"
#include "analysis/findings/python_work.h"
#include "analysis/findings/rules.h"
#include "analysis/findings/skew.h"
#include "analysis/machines/neighbors.h"
#include "base/text.h"
#include "base/time.h"

namespace sparkprof {
namespace {

constexpr size_t kLeastTasks = 3;
constexpr int64_t kStragglerDelayNs = 100 * kNanosPerMilli;  // of the stage
constexpr double kFarSlower = 3;                             // times the median
constexpr size_t kMostNamedStragglers = 20;
constexpr size_t kOneIn =
    5;  // at most one in five tasks: the first tasks of an executor are slow, because they warm it up

struct Reason {
  std::string title;     // ", mostly for garbage collection"
  std::string evidence;  // "1.2 s of it for garbage collection"
};

// Waits of the slowest task beyond those of the median task, by Spark's metrics and by where it ran.
Reason ReasonOfWait(const Tasks& tasks, const StageSummary& summary, uint32_t slowest) {
  struct Part {
    TaskMetric metric;
    const char* name;
  };
  constexpr Part kParts[] = {{TaskMetric::kGcTime, "garbage collection"},
                             {TaskMetric::kShuffleFetchWait, "blocks of the shuffle"},
                             {TaskMetric::kShuffleWriteTime, "writing its shuffle output to disk"},
                             {TaskMetric::kSchedulerDelay, "the scheduler"},
                             {TaskMetric::kDeserializeTime, "its own code to be loaded"},
                             {TaskMetric::kGettingResultTime, "its result to be fetched"}};
  const int64_t excess = tasks.Column(TaskMetric::kDuration)[slowest] - summary.Of(TaskMetric::kDuration).p50;
  for (const Part& part : kParts) {
    const int64_t more_ns = tasks.Column(part.metric)[slowest] - summary.Of(part.metric).p50;
    if (2 * more_ns <= excess) continue;
    return {fmt::format(", mostly for {}", part.name),
            fmt::format("{} of it for {}", FormatDuration(more_ns), part.name)};
  }
  constexpr uint8_t kNodeLocal = 1, kRackLocal = 3, kAny = 4;
  const auto is_remote = [&](uint32_t task) {
    return tasks.locality[task] == kRackLocal || tasks.locality[task] == kAny;
  };
  const bool others_local = std::any_of(summary.tasks.begin(), summary.tasks.end(),
                                        [&](uint32_t task) { return tasks.locality[task] <= kNodeLocal; });
  if (is_remote(slowest) && others_local) return {", its data on another host", "its data was on another host"};
  return {};
}

// Whether the host of the slowest task has no task as fast as the median, and other hosts do; its name, or nothing.
std::string SlowHost(const FindingInput& input, const StageSummary& summary, uint32_t slowest) {
  const Tasks& tasks = input.application.tasks;
  const auto host = [&](uint32_t task) -> std::string_view {
    const int32_t executor = tasks.executor[task];
    return executor < 0 ? std::string_view() : input.application.executors[static_cast<size_t>(executor)].host;
  };
  const int64_t median_ns = summary.Of(TaskMetric::kDuration).p50;
  size_t here = 0;
  for (const uint32_t task : summary.tasks) {
    if (host(task) != host(slowest)) continue;
    ++here;
    if (tasks.Column(TaskMetric::kDuration)[task] <= median_ns) return {};
  }
  constexpr size_t kSeveral = 2;  // one slow task does not make a host slow
  return here < kSeveral || here == summary.tasks.size() ? std::string() : std::string(host(slowest));
}

std::string Title(const Stage& stage, const Quantiles& durations, std::string_view verb) {
  return fmt::format("Stage {}: straggler {} {}, median task {}", stage.id, verb, FormatDuration(durations.max),
                     FormatDuration(durations.p50));
}

// The slowest task's Python worker, if it takes most of what the median task does not; else false. Without samples of
// the worker, it is the time outside the JVM that no metric of Spark explains.
bool DescribePython(const FindingInput& input, const Stage& stage, const StageSummary& summary, uint32_t slowest,
                    Finding* finding) {
  const Quantiles durations = summary.Of(TaskMetric::kDuration);
  StageSummary of_task;
  of_task.tasks = {slowest};
  const std::vector<int32_t> task_rows = input.application.TaskRows();
  for (const uint32_t row : summary.python_samples) {
    const int32_t task = task_rows[input.application.python_samples[row].task];
    if (task == static_cast<int32_t>(slowest)) of_task.python_samples.push_back(row);
  }
  const PythonWork work = WorkOfPython(input.application, of_task);
  const int64_t excess_ns = durations.max - durations.p50;
  if (!of_task.python_samples.empty()) {
    // On a busy machine a worker that computes waits for a CPU, too.
    const int64_t computing_ns = std::max(work.cpu_ns, work.wall_ns - work.sleep_ns);
    const bool computes = 2 * computing_ns > excess_ns, sleeps = 2 * work.sleep_ns > excess_ns;
    if (!computes && !sleeps) return false;
    finding->title = Title(stage, durations, computes ? "computes in Python" : "sleeps in Python");
    const std::vector<PythonLine>& lines = computes ? work.by_cpu : work.by_sleep;
    finding->evidence = fmt::format("its Python worker used {} of CPU time", FormatDuration(work.cpu_ns));
    if (!lines.empty()) finding->frames = {lines.front().text};
  } else {
    if (!ReasonOfWait(input.application.tasks, summary, slowest).title.empty()) return false;
    finding->title = Title(stage, durations, "runs Python");
    finding->evidence = "the rest of its time is outside the JVM, most likely in its Python worker";
  }
  finding->change =
      "Some records are far more expensive in Python than others: distribute them over more partitions, or reduce "
      "their cost";
  return true;
}

void Describe(const FindingInput& input, const Stage& stage, const StageSummary& summary, uint32_t slowest,
              Finding* finding) {
  const Tasks& tasks = input.application.tasks;
  const int64_t cpu = tasks.Column(TaskMetric::kExecutorCpuTime)[slowest];
  const Quantiles durations = summary.Of(TaskMetric::kDuration);
  const int64_t median_cpu = summary.Of(TaskMetric::kExecutorCpuTime).p50;
  const std::string cpu_text = fmt::format("CPU time {}, median {}", FormatDuration(cpu), FormatDuration(median_cpu));
  if (summary.Total(TaskMetric::kExecutorCpuTime) == 0) {
    finding->title = Title(stage, durations, "takes");
    finding->confidence = 0.6;
    finding->evidence = summary.Total(TaskMetric::kExecutorRunTime) == 0
                            ? "the input has no task metrics, so it is unknown whether the task computed or waited"
                            : "Spark counted no CPU time, so it is unknown whether the task computed or waited";
    const Reason reason = ReasonOfWait(tasks, summary, slowest);
    finding->title += reason.title;
    if (!reason.evidence.empty()) finding->evidence += "; " + reason.evidence;
    finding->change =
        fmt::format("{} to compare the CPU time of the task with that of the others",
                    summary.Total(TaskMetric::kExecutorRunTime) > 0
                        ? "Profile the job with `sparkprof run`, or run it on Spark 2.1 or later,"
                        : "Enable the event log (spark.eventLog.enabled), or profile the job with `sparkprof run`,");
    finding->selection.event = EventName(Event::kWall);
  } else if (2 * (cpu - median_cpu) > durations.max - durations.p50) {
    finding->title = Title(stage, durations, "computes");
    finding->confidence = 0.8;
    finding->evidence = cpu_text + ", with about the same bytes and records as the others";
    finding->change =
        HasSamples(input.application)
            ? "Compare its flame graph with that of the median task: some records are far more expensive than others. "
              "Distribute them over more partitions, or reduce their cost"
            : "Some records are far more expensive than others: distribute them over more partitions, or reduce their "
              "cost";
  } else if (UsesPython(input.application, stage, summary) && DescribePython(input, stage, summary, slowest, finding)) {
    finding->confidence = 0.7;
  } else {
    finding->title = Title(stage, durations, "waits");
    finding->confidence = 0.7;
    finding->evidence = cpu_text + "; it waited for the rest of its time";
    const Reason reason = ReasonOfWait(tasks, summary, slowest);
    finding->title += reason.title;
    if (!reason.evidence.empty()) finding->evidence += ", " + reason.evidence;
    finding->change =
        HasSamples(input.application)
            ? "Check its wall-clock flame graph for the cause of the wait, for example a slow host, disk or remote "
              "service. spark.speculation helps if a host is slow"
            : "Profile the job with `sparkprof run` to find what the task waits for, for example a slow host, disk or "
              "remote service. spark.speculation helps if a host is slow";
    finding->selection.event = EventName(Event::kWall);
  }
  const std::string host = SlowHost(input, summary, slowest);
  if (!host.empty()) {
    finding->title += fmt::format(", on the slow host {}", host);
    finding->evidence += fmt::format("; all tasks on host {} are slower than the median", host);
  }
  if (const std::string who = NeighborText(NeighborsOfTasks(input.application, {slowest})); !who.empty()) {
    finding->evidence += "; " + who;
  }
}

// Whether the task is as slow as the other first tasks of executors in its stage: they load classes and connect to the
// storage.
bool IsWarmingUp(const FindingInput& input, const StageSummary& summary, uint32_t slowest) {
  constexpr size_t kSeveralFirst = 3;
  const std::vector<uint32_t> first = FirstTasksOf(input, summary);
  if (first.size() < kSeveralFirst || std::find(first.begin(), first.end(), slowest) == first.end()) return false;
  std::vector<int64_t> times;
  for (const uint32_t task : first) times.push_back(input.application.tasks.Column(TaskMetric::kDuration)[task]);
  const Quantiles durations = QuantilesOf(std::move(times));
  return static_cast<double>(durations.max) < kFarSlower * static_cast<double>(durations.p50);
}

}  // namespace

std::optional<Finding> FindStragglers(const FindingInput& input, const Stage& stage, const StageSummary& summary) {
  const Tasks& tasks = input.application.tasks;
  const MetricColumn& duration = tasks.Column(TaskMetric::kDuration);
  const Quantiles quantiles = summary.Of(TaskMetric::kDuration);
  if (summary.tasks.size() < kLeastTasks || quantiles.max - quantiles.p50 < kWorthwhileNs ||
      static_cast<double>(quantiles.max) < kFarSlower * static_cast<double>(quantiles.p50)) {
    return std::nullopt;
  }
  const int64_t limit = std::max(quantiles.max / 2, 2 * quantiles.p50);
  Finding finding;
  finding.selection = SelectStage(stage, Event::kCpu);
  uint32_t slowest = summary.tasks.front();
  int64_t last_finish = 0, last_other = 0;
  size_t stragglers = 0;
  for (const uint32_t task : summary.tasks) {
    if (duration[task] > duration[slowest]) slowest = task;
    last_finish = std::max(last_finish, tasks.finish_ns[task]);
    if (duration[task] < limit) {
      last_other = std::max(last_other, tasks.finish_ns[task]);
    } else if (++stragglers <= kMostNamedStragglers) {
      finding.selection.tasks.push_back(tasks.id[task]);
    }
  }
  if (HasFarMoreData(input.application, summary, slowest)) return std::nullopt;  // a case for FindSkew
  if (IsWarmingUp(input, summary, slowest)) return std::nullopt;
  if (stragglers > std::max<size_t>(1, summary.tasks.size() / kOneIn)) return std::nullopt;
  finding.what = fmt::format("In {}, task {} took {}; the median task took {}, the 75th percentile is {}",
                             StageText(stage), tasks.id[slowest], FormatDuration(quantiles.max),
                             FormatDuration(quantiles.p50), FormatDuration(quantiles.p75));
  finding.condition = fmt::format(
      "The slowest task takes at least {} times the median and at least {} more, without more data; at most one "
      "task in {} is that slow",
      kFarSlower, FormatDuration(kWorthwhileNs), kOneIn);
  Describe(input, stage, summary, slowest, &finding);
  // Work must be done elsewhere; a wait need not.
  const int64_t most_ns = std::clamp<int64_t>(last_finish - last_other, 0, quantiles.max - quantiles.p50);
  finding.most_ns = std::max<int64_t>(1, most_ns);
  const bool waits = finding.title.find(" waits ") != std::string::npos;
  finding.gain_ns = waits ? most_ns : GainOfBalance(input, summary, most_ns);
  // The stage does not end sooner without it.
  if (finding.gain_ns < kStragglerDelayNs) return std::nullopt;
  return finding;
}

}  // namespace sparkprof
