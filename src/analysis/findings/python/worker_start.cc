// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>

#include "analysis/findings/python/python_work.h"
#include "analysis/findings/python/worker_times.h"
#include "analysis/findings/rules.h"
#include "analysis/selection/spark_settings.h"
#include "analysis/time/time_spent.h"
#include "base/text/text.h"

namespace sparkprof {
namespace {

constexpr double kMuchOutside = 0.5;  // share of run time outside the JVM, where Spark has no Python metrics
constexpr char kReuse[] = "spark.python.worker.reuse";

struct Starts {
  int64_t time_ns = 0;   // sum of all tasks; 0 = nothing to report
  bool measured = true;  // false = an upper bound whose true part is unknown
  const char* by = "Spark's metrics of the plan";
};

// A worker of an earlier stage was idle before this stage, which Spark counts as initialization.
bool HasEarlierPython(const FindingInput& input, const Stage& stage) {
  for (size_t row = 0; row < input.stages.size(); ++row) {
    const Stage& other = input.application.stages[row];
    if (other.submit_ns < stage.submit_ns && UsesPython(input.application, other, input.stages[row])) return true;
  }
  return false;
}

// Before its first task, a worker starts, imports modules and unpickles broadcast variables while the JVM waits. Only
// workers that are not reused do so for each task; FindRepeatedInit handles the others.
Starts StartsInSamples(const FindingInput& input, const Stage& stage, const StageSummary& summary) {
  if (ReusesWorkers(input.application) || FindRepeatedInit(input, stage, summary)) return {};
  const PythonWork work = WorkOfPython(input.application, summary);
  const auto run_ns = static_cast<double>(summary.Total(TaskMetric::kExecutorRunTime));
  const int64_t waits_ns = static_cast<int64_t>(run_ns * Share(summary.python_start_ns, summary.wall_samples_ns));
  const int64_t starts_ns =
      waits_ns + TimeOfCpuSamples(summary, work.import_ns + work.start_import_ns + work.closure_ns);
  return {static_cast<double>(starts_ns) >= kMuchOfCode * run_ns ? starts_ns : 0, true, "samples"};
}

Starts StartsOf(const FindingInput& input, const Stage& stage, const StageSummary& summary) {
  const Application& application = input.application;
  if (!summary.python_samples.empty() || summary.wall_samples_ns > 0) return StartsInSamples(input, stage, summary);
  const PythonMetrics metrics = PythonMetricsOf(application, stage);
  const int64_t starts_ns = std::min(metrics.start_ns + metrics.initialize_ns, metrics.run_ns);
  if (starts_ns > 0) {
    const bool is_much = Share(starts_ns, metrics.run_ns) >= kMuchStarting;
    const bool is_exact = is_much && (!ReusesWorkers(application) || !HasEarlierPython(input, stage));
    // Imports inside a function follow the initialization.
    if (is_exact || ReusesWorkers(application)) return {is_exact ? starts_ns : 0};
  }
  if (ReusesWorkers(application) || !HasCpuTime(application) || ShareOutsideJvm(summary) < kMuchOutside) return {};
  // The work of each task takes at most as long as the fastest task.
  return {summary.Of(TaskMetric::kExecutorRunTime).min * static_cast<int64_t>(summary.tasks.size()), false};
}

}  // namespace

bool ReusesWorkers(const Application& application) {
  return SettingOf(application, kReuse) != std::string_view("false");
}

std::string LongerTasksAdvice(const Application& application) {
  constexpr char kLongerTasks[] = "se fewer and longer tasks, and import large modules only where they are needed";
  if (ReusesWorkers(application)) return fmt::format("U{}", kLongerTasks);
  return fmt::format("Set {}=true, so that each worker imports its modules once, or u{}", kReuse, kLongerTasks);
}

std::optional<Finding> FindWorkerStarts(const FindingInput& input, const Stage& stage, const StageSummary& summary) {
  const auto tasks = static_cast<int64_t>(summary.tasks.size());
  if (tasks < kStartsPerCore * input.cores || !UsesPython(input.application, stage, summary)) return std::nullopt;
  const Starts starts = StartsOf(input, stage, summary);
  if (starts.time_ns < kWorthwhileNs) return std::nullopt;
  const int64_t run_ns = summary.Total(TaskMetric::kExecutorRunTime);
  Finding finding;
  finding.title = starts.measured
                      ? fmt::format("Stage {}: starting and initializing Python workers takes {} of task time",
                                    stage.id, FormatShare(Share(starts.time_ns, run_ns)))
                      : fmt::format("Stage {}: each of {} tasks starts a Python worker of its own", stage.id, tasks);
  const bool are_reused = starts.measured && ReusesWorkers(input.application);
  finding.what = fmt::format(
      "The {} tasks of {} {}", tasks, StageText(input, stage),
      are_reused ? "each read their Python function again, with the data that it refers to and the modules it imports"
                 : "start Python workers, which import their modules again");
  finding.evidence =
      starts.measured
          ? fmt::format("{} of {} run time, by {}", FormatDuration(starts.time_ns), FormatDuration(run_ns), starts.by)
          : fmt::format(
                "{}=false; {} of the run time is neither CPU time of the JVM nor GC nor shuffle; the fastest "
                "task takes {}. How much of it are imports is unknown without a profile",
                kReuse, FormatShare(ShareOutsideJvm(summary)),
                FormatDuration(summary.Of(TaskMetric::kExecutorRunTime).min));
  finding.condition = fmt::format(
      "In a stage with at least {} tasks per core, the start and initialization of Python workers take at least {} of "
      "the workers' time, or at least {} of the samples' if {} is false; without metrics of the workers and samples, "
      "it is "
      "false and at least {} of the run time is outside the JVM",
      kStartsPerCore, FormatShare(kMuchStarting), FormatShare(kMuchOfCode), kReuse, FormatShare(kMuchOutside));
  finding.selection = SelectStage(stage, Event::kWall);
  finding.change = LongerTasksAdvice(input.application);
  if (are_reused)
    finding.change +=
        ". If the function refers to large data, pass them as a broadcast variable (sc.broadcast), which each worker "
        "reads once, or join with them";
  // Each core still starts one worker.
  const double saved = 1 - Share(input.cores, tasks);
  finding.claim = ClaimTasks(input, summary, static_cast<int64_t>(static_cast<double>(starts.time_ns) * saved),
                             starts.measured ? kMost : kHalf);
  return finding;
}

}  // namespace sparkprof
