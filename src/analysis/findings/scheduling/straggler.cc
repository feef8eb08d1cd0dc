// SPDX-License-Identifier: Apache-2.0
#include "analysis/findings/python/python_work.h"
#include "analysis/findings/rules.h"
#include "analysis/findings/scheduling/stage_tasks.h"
#include "analysis/machines/neighbors.h"

namespace sparkprof {
namespace {

constexpr size_t kLeastTasks = 3;
constexpr int64_t kStragglerDelayNs = 100 * kNanosPerMilli;  // time that the stage loses
constexpr double kMostlySleeping = 0.5;                      // share of a task's wall-clock samples
constexpr int64_t kLongFirstTaskNs = 10 * kNanosPerSecond;
constexpr double kFarSlower = 3;  // times the median
constexpr size_t kMaxNamedStragglers = 20;
constexpr size_t kOneIn =
    5;  // at most 1/5 of the tasks: the first tasks of an executor are slow, because they warm it up

struct Reason {
  std::string title;        // ", mostly for garbage collection"
  std::string evidence;     // "1.2 s of it for garbage collection"
  bool is_loading = false;  // loads code
};

// Waits of the slowest task beyond the median task's, by Spark's metrics and by its host.
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
            fmt::format("{} of it for {}", FormatDuration(more_ns), part.name),
            part.metric == TaskMetric::kDeserializeTime};
  }
  constexpr uint8_t kNodeLocal = 1, kRackLocal = 3, kAny = 4;
  const auto is_remote = [&](uint32_t task) {
    return tasks.locality[task] == kRackLocal || tasks.locality[task] == kAny;
  };
  const bool others_local =
      std::ranges::any_of(summary.tasks, [&](uint32_t task) { return tasks.locality[task] <= kNodeLocal; });
  if (is_remote(slowest) && others_local) return {", its data on another host", "its data was on another host"};
  return {};
}

// The host of the slowest task if none of its tasks is as fast as the median, unlike on other hosts; otherwise empty.
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
  constexpr size_t kSeveral = 2;  // one slow task does not make a slow host
  return here < kSeveral || here == summary.tasks.size() ? std::string() : std::string(host(slowest));
}

struct Durations {
  int64_t slowest_ns = 0;
  int64_t median_ns = 0;

  int64_t Excess() const { return slowest_ns - median_ns; }
};

Durations DurationsOf(const Application& application, const StageSummary& summary, uint32_t slowest) {
  return {application.tasks.Column(TaskMetric::kDuration)[slowest], summary.Of(TaskMetric::kDuration).p50};
}

std::string Title(const Stage& stage, const Durations& durations, std::string_view verb) {
  return fmt::format("Stage {}: straggler {} {}, median task {}", stage.id, verb, FormatDuration(durations.slowest_ns),
                     FormatDuration(durations.median_ns));
}

// Returns true if the slowest task's Python worker takes most of the time beyond the median task. Without samples of
// the worker, uses the time outside the JVM that Spark's metrics do not explain.
bool DescribePython(const FindingInput& input, const Stage& stage, const StageSummary& summary, uint32_t slowest,
                    Finding* finding) {
  const Durations durations = DurationsOf(input.application, summary, slowest);
  StageSummary of_task;
  of_task.tasks = {slowest};
  for (const uint32_t row : summary.python_samples) {
    if (IsOfTask(input.application, input.application.python_samples[row], slowest))
      of_task.python_samples.push_back(row);
  }
  const PythonWork work = WorkOfPython(input.application, of_task);
  const int64_t excess_ns = durations.Excess();
  if (!of_task.python_samples.empty()) {
    // On a busy machine, a computing worker waits for a CPU, too.
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

// True if the executor had run no task before.
bool IsFirstOfExecutor(const Tasks& tasks, uint32_t task) {
  for (size_t other = 0; other < tasks.Size(); ++other) {
    if (tasks.executor[other] == tasks.executor[task] && tasks.launch_ns[other] < tasks.launch_ns[task]) return false;
  }
  return tasks.executor[task] >= 0;
}

// True for a copy whose task was completed by another attempt.
bool IsLosingCopy(const Tasks& tasks, uint32_t task) {
  return tasks.speculative[task] != 0 && tasks.outcome[task] != TaskOutcome::kSucceeded;
}

// Advice for a task that waits for a reason that Spark's metrics do not explain, or only name.
std::string ChangeForWait(const FindingInput& input, const StageSummary& summary, uint32_t slowest,
                          const Reason& reason) {
  const Application& application = input.application;
  if (reason.is_loading && IsFirstOfExecutor(application.tasks, slowest)) {
    return fmt::format(
        "It was the first task of its executor, which first fetches and loads the application's jars: put large ones "
        "on the hosts or into the image{}",
        IsEnabled(application, "spark.dynamicAllocation.enabled")
            ? ", or keep executors longer (spark.dynamicAllocation.executorIdleTimeout)"
            : "");
  }
  std::string change = HasSamples(application) ? "Check its wall-clock flame graph for the cause of the wait, for "
                                                 "example a slow host, disk or remote service"
                                               : "Profile the job with `sparkprof run` to find what the task waits "
                                                 "for, for example a slow host, disk or remote service";
  const bool has_copies =
      std::ranges::any_of(summary.tasks, [&](uint32_t task) { return application.tasks.speculative[task] != 0; });
  if (!has_copies && !IsEnabled(application, "spark.speculation"))
    change += ". spark.speculation helps if a host is slow";
  return change;
}

void Describe(const FindingInput& input, const Stage& stage, const StageSummary& summary, uint32_t slowest,
              Finding* finding) {
  const Tasks& tasks = input.application.tasks;
  const int64_t cpu = tasks.Column(TaskMetric::kExecutorCpuTime)[slowest];
  const Durations durations = DurationsOf(input.application, summary, slowest);
  const int64_t median_cpu = summary.Of(TaskMetric::kExecutorCpuTime).p50;
  const std::string cpu_text = fmt::format("CPU time {}, median {}", FormatDuration(cpu), FormatDuration(median_cpu));
  if (summary.Total(TaskMetric::kExecutorCpuTime) == 0) {
    finding->title = Title(stage, durations, "takes");
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
  } else if (2 * (cpu - median_cpu) > durations.Excess()) {
    finding->title = Title(stage, durations, "computes");
    finding->evidence = cpu_text + ", with about the same bytes and records as the others";
    finding->change = HasSamples(input.application)
                          ? "Compare its flame graph with that of the median task: some records are far more expensive "
                            "than others. Distribute them over more partitions, or reduce their cost"
                          : "Some records are far more expensive than others: distribute them over more partitions, or "
                            "reduce their cost";
  } else if (!UsesPython(input.application, stage, summary) ||
             !DescribePython(input, stage, summary, slowest, finding)) {
    finding->title = Title(stage, durations, "waits");
    finding->evidence = cpu_text + "; it waited for the rest of its time";
    const Reason reason = ReasonOfWait(tasks, summary, slowest);
    finding->title += reason.title;
    if (!reason.evidence.empty()) finding->evidence += ", " + reason.evidence;
    finding->change = ChangeForWait(input, summary, slowest, reason);
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

// True if these tasks take about the same time, far longer than the median task.
bool AreAllSlow(const FindingInput& input, const StageSummary& summary, const std::vector<uint32_t>& chosen) {
  constexpr size_t kSeveral = 2;
  if (chosen.size() < kSeveral) return false;
  const auto median = static_cast<double>(summary.Of(TaskMetric::kDuration).p50);
  std::vector<int64_t> times;
  for (const uint32_t task : chosen) times.push_back(input.application.tasks.Column(TaskMetric::kDuration)[task]);
  const Quantiles durations = QuantilesOf(std::move(times));
  return static_cast<double>(durations.max) < kFarSlower * static_cast<double>(durations.p50) &&
         static_cast<double>(durations.p50) >= kFarSlower / 2 * median;
}

// The first tasks of executors, or of the stage on each core, if all of them are slow: they load classes, start Python
// workers, connect to the storage, or compile generated code.
std::vector<uint32_t> TasksWarmingUp(const FindingInput& input, const StageSummary& summary) {
  for (const std::vector<uint32_t>& first : {FirstTasksOf(input, summary), FirstWaveOf(input, summary)})
    if (AreAllSlow(input, summary, first)) return first;
  return {};
}

// True if a task that computed little waited for a CPU according to its samples. Without samples, true for the first
// task of an executor, which loads classes on a possibly busy host.
bool MayWaitForCpu(const FindingInput& input, const StageSummary& summary, uint32_t slowest) {
  const Profile& profile = input.application.profile;
  const EventId wall = profile.Row(Event::kWall);
  int64_t all_ns = 0, sleeping_ns = 0;
  for (const uint32_t row : summary.samples) {
    const Sample& sample = profile.samples[row];
    if (sample.event != wall || !IsOfTask(input.application, sample, slowest)) continue;
    all_ns += sample.weight;
    if (sample.state == ThreadState::kSleeping) sleeping_ns += sample.weight;
  }
  if (all_ns > 0) return Share(sleeping_ns, all_ns) < kMostlySleeping;
  const std::vector<uint32_t> first = FirstTasksOf(input, summary);
  return Contains(first, slowest) && input.application.tasks.Column(TaskMetric::kDuration)[slowest] < kLongFirstTaskNs;
}

// The gain if stragglers took as long as the median task: they block cores even if they are not the last to finish.
int64_t GainOfExcess(const FindingInput& input, const StageSummary& summary, int64_t excess_ns) {
  const int64_t cores = std::min(input.cores, static_cast<int64_t>(summary.tasks.size()));
  return std::min(summary.wall_ns, excess_ns / std::max<int64_t>(1, cores));
}

}  // namespace

std::optional<Finding> FindStragglers(const FindingInput& input, const Stage& stage, const StageSummary& summary) {
  const Tasks& tasks = input.application.tasks;
  const MetricColumn& duration = tasks.Column(TaskMetric::kDuration);
  const Quantiles quantiles = summary.Of(TaskMetric::kDuration);
  if (summary.tasks.size() < kLeastTasks || quantiles.max - quantiles.p50 < kWorthwhileNs) return std::nullopt;
  const std::vector<uint32_t> warming_up = TasksWarmingUp(input, summary);
  std::vector<uint32_t> candidates;
  uint32_t slowest = summary.tasks.front();
  int64_t longest_ns = 0;
  for (const uint32_t task : summary.tasks) {
    if (Contains(warming_up, task)) continue;
    candidates.push_back(task);
    if (duration[task] > longest_ns) longest_ns = duration[task], slowest = task;
  }
  const int64_t median_ns = quantiles.p50;
  // Text logs may lack the ends of tasks, and thus their durations.
  if (median_ns == 0) return std::nullopt;
  if (longest_ns - median_ns < kWorthwhileNs ||
      static_cast<double>(longest_ns) < kFarSlower * static_cast<double>(median_ns)) {
    return std::nullopt;
  }
  const int64_t limit = std::max(longest_ns / 2, 2 * median_ns);
  Finding finding;
  finding.selection = SelectStage(stage, Event::kCpu);
  int64_t last_finish = 0, last_other = 0, excess_ns = 0;
  size_t stragglers = 0;
  for (const uint32_t task : summary.tasks) last_finish = std::max(last_finish, tasks.finish_ns[task]);
  for (const uint32_t task : summary.tasks) {
    const bool is_candidate = Contains(candidates, task);
    if (!is_candidate || duration[task] < limit) {
      last_other = std::max(last_other, tasks.finish_ns[task]);
      continue;
    }
    if (IsLosingCopy(tasks, task)) {
      finding.selection.tasks.push_back(tasks.id[task]);
      continue;
    }
    AddSaturated(duration[task] - median_ns, &excess_ns);
    finding.claim.tasks.push_back({task, duration[task] - median_ns});
    if (++stragglers <= kMaxNamedStragglers) finding.selection.tasks.push_back(tasks.id[task]);
  }
  if (HasFarMoreData(input.application, summary, slowest)) return std::nullopt;  // FindSkew handles it
  if (stragglers > std::max<size_t>(1, summary.tasks.size() / kOneIn)) return std::nullopt;
  finding.what = fmt::format("In {}, task {} took {}; the median task took {}, the 75th percentile is {}",
                             StageText(input, stage), tasks.id[slowest], FormatDuration(longest_ns),
                             FormatDuration(median_ns), FormatDuration(quantiles.p75));
  if (stragglers > 1)
    finding.what +=
        fmt::format("; {} tasks take at least {}", CountText(static_cast<int64_t>(stragglers)), FormatDuration(limit));
  finding.condition = fmt::format(
      "The slowest task takes at least {} times the median and at least {} more, without more data; at most one task "
      "in {} is that slow; the first tasks of executors do not count if all of them are slow",
      kFarSlower, FormatDuration(kWorthwhileNs), kOneIn);
  Describe(input, stage, summary, slowest, &finding);
  // Work moves elsewhere unless it can be avoided; a wait disappears.
  const int64_t last_ns = std::clamp<int64_t>(last_finish - last_other, 0, longest_ns - median_ns);
  const int64_t avoided_ns = GainOfExcess(input, summary, excess_ns);
  const bool waits = Contains(finding.title, " waits ");
  if (waits && MayWaitForCpu(input, summary, slowest)) return std::nullopt;
  const bool is_idle = waits || Contains(finding.title, " sleeps ");
  // The stage cannot end sooner without it.
  const int64_t balanced_ns = GainOfBalance(input, summary, std::max<int64_t>(1, last_ns));
  if (std::max(is_idle ? last_ns : balanced_ns, avoided_ns) < kStragglerDelayNs) return std::nullopt;
  finding.claim.removal = is_idle ? kMost : kHalf;
  return finding;
}

std::optional<Finding> FindSpeculativeWaste(const FindingInput& input, const Stage& stage,
                                            const StageSummary& summary) {
  const Tasks& tasks = input.application.tasks;
  int64_t copies = 0, won = 0, wasted_ns = 0;
  for (const uint32_t task : summary.tasks) {
    if (tasks.speculative[task] == 0) continue;
    ++copies;
    won += tasks.outcome[task] == TaskOutcome::kSucceeded;
    if (tasks.outcome[task] == TaskOutcome::kSucceeded) continue;
    AddSaturated(std::max<int64_t>(0, tasks.finish_ns[task] - tasks.launch_ns[task]), &wasted_ns);
  }
  const double share = Share(wasted_ns, summary.Total(TaskMetric::kDuration));
  if (wasted_ns < kWorthwhileNs || share < kMuchOfTime) return std::nullopt;
  Finding finding;
  finding.title = fmt::format("Stage {}: speculative tasks waste {} of task time", stage.id, FormatShare(share));
  finding.what = fmt::format("{} of {} speculative tasks of {} finished after the original", copies - won, copies,
                             StageText(input, stage));
  finding.evidence = fmt::format("{} of task time in copies that were killed", FormatDuration(wasted_ns));
  finding.condition = fmt::format("Speculative tasks that do not win take at least {} of a stage's task time and {}",
                                  FormatShare(kMuchOfTime), FormatDuration(kWorthwhileNs));
  finding.selection = SelectStage(stage, Event::kWall);
  finding.change =
      "Raise spark.speculation.multiplier or spark.speculation.quantile, or disable spark.speculation: it helps if "
      "hosts are slow, not if tasks have more data";
  finding.claim = ClaimTasks(input, summary, wasted_ns, kHalf, AccountPart::kLostWork);
  return finding;
}

}  // namespace sparkprof
