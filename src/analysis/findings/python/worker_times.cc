// SPDX-License-Identifier: Apache-2.0
#include "analysis/findings/python/worker_times.h"

#include "analysis/findings/rules.h"

namespace sparkprof {
namespace {

// PySpark's own startup per task: on a busy machine it reads the directories of its zip files in 0.3 s.
constexpr int64_t kOwnStartMs = 400;

constexpr double kMuchPythonTime = 0.5;  // share of task time

}  // namespace

PythonMetrics PythonMetricsOf(const Application& application, const Stage& stage) {
  PythonMetrics metrics;
  for (const PlanOperator& one : OperatorsOfStage(application, stage)) {
    // Two stages that ran the same operator share its metrics.
    if (!IsPythonOperator(one.kind) || one.stages.size() != 1) continue;
    metrics.start_ns += ValueOf(*one.plan, "time to start Python workers").value_or(0);
    metrics.initialize_ns += ValueOf(*one.plan, "time to initialize Python workers").value_or(0);
    // Workers of several operators in a stage run concurrently.
    metrics.run_ns = std::max(metrics.run_ns, ValueOf(*one.plan, "time to run Python workers").value_or(0));
  }
  return metrics;
}

PythonLogTimes PythonTimesInLogs(const Application& application) {
  static const re2::RE2 pattern(R"(Times: total = (\d+), boot = (-?\d+), init = (\d+), finish = \d+)");
  PythonLogTimes times;
  if (!HasOnlyLogs(application)) return times;
  ForEachRecord(application.logs, kPythonTimes, [&](std::string_view text, int64_t) {
    int32_t total_ms = 0, boot_ms = 0, init_ms = 0;
    if (!re2::RE2::PartialMatch(text, pattern, &total_ms, &boot_ms, &init_ms)) return;
    ++times.count;
    if (boot_ms < 0) ++times.reused;
    times.total_ns += total_ms * kNanosPerMilli;
    // "PythonUDFRunner", "PythonUDFWithNamedArgumentsRunner"; layouts without loggers lack the name.
    if (text.substr(0, text.find(kPythonTimes)).find("PythonUDF") != std::string_view::npos)
      times.of_rows_ns += total_ms * kNanosPerMilli;
    // A reused worker existed before the task: its boot time is negative, and part of its initialization precedes the
    // task, too.
    const int64_t starting_ms = int64_t{boot_ms} + init_ms;
    times.own_ns += std::clamp<int64_t>(starting_ms, 0, total_ms) * kNanosPerMilli;
    times.starts_ns.push_back(std::max<int64_t>(0, std::min<int64_t>(starting_ms, total_ms) - kOwnStartMs) *
                              kNanosPerMilli);
    times.starting_ns += times.starts_ns.back();
  });
  return times;
}

std::optional<Finding> FindPythonInLogs(const FindingInput& input) {
  if (input.IsExcerpt()) return std::nullopt;
  const PythonLogTimes times = PythonTimesInLogs(input.application);
  const int64_t tasks_ns = TaskTime(input.application);
  const double share = std::min(1.0, Share(times.total_ns, tasks_ns));
  if (times.total_ns < kWorthwhileNs || share < kMuchPythonTime) return std::nullopt;
  Finding finding;
  finding.title = fmt::format("Python workers run for {} of task time", FormatShare(share));
  finding.what = fmt::format("In {} tasks Python workers ran for {}; all tasks took {}", times.count,
                             FormatDuration(times.total_ns), FormatDuration(tasks_ns));
  finding.evidence = fmt::format(
      "times that Spark's Python runners log; {} of it to start and initialize the workers. Whether Python computes, "
      "sleeps or waits for rows is unknown without a profile",
      FormatDuration(times.starting_ns));
  finding.condition =
      fmt::format("By text logs alone, Python workers run for at least {} of task time", FormatShare(kMuchPythonTime));
  finding.selection.event = EventName(Event::kWall);
  finding.stages = StagesThatLog(input.application, kPythonTimes);
  finding.change =
      "Profile the job with `sparkprof run` to see the lines of Python. Replace Python functions by built-in SQL "
      "functions, and functions that get one row at a time by pandas UDFs";
  // Most of the time may be the purpose of the job. The saving of rewriting functions for batches or RDDs is unknown.
  const bool is_of_rows = 2 * times.of_rows_ns >= times.total_ns;
  finding.claim = ClaimStages(input, finding.stages, (times.total_ns - times.starting_ns) / input.cores,
                              is_of_rows ? kSome : kUnsure);
  return finding;
}

std::optional<Finding> FindWorkerStartsInLogs(const FindingInput& input) {
  if (input.IsExcerpt()) return std::nullopt;
  PythonLogTimes times = PythonTimesInLogs(input.application);
  const double share = Share(times.starting_ns, times.total_ns);
  if (times.count < kStartsPerCore * input.cores) return std::nullopt;
  // Each core starts one worker in any case.
  std::sort(times.starts_ns.rbegin(), times.starts_ns.rend());
  const auto first = times.starts_ns.begin();
  const int64_t needed_ns = std::accumulate(first, first + input.cores, int64_t{0});
  const int64_t again_ns = times.starting_ns - needed_ns;
  const double of_others = 1 - Share(input.cores, times.count);
  const auto others_ns = Scaled(times.total_ns, of_others);
  if (again_ns < kWorthwhileNs || Share(again_ns, others_ns) < kMuchStarting) return std::nullopt;
  Finding finding;
  finding.title = fmt::format("Starting and initializing Python workers takes {} of their time", FormatShare(share));
  // A reused worker imports nothing, but on a busy machine it waits for a CPU.
  const bool are_reused = 2 * times.reused > times.count;
  finding.what = fmt::format("In {} tasks Python workers ran for {}, and needed {} until they began to compute",
                             times.count, FormatDuration(times.total_ns), FormatDuration(times.starting_ns));
  finding.evidence = "times that Spark's Python runners log";
  finding.condition = fmt::format(
      "By text logs alone, the start and initialization of Python workers take at least {} of the workers' time, with "
      "at least {} tasks per core",
      FormatShare(kMuchStarting), kStartsPerCore);
  finding.selection.event = EventName(Event::kWall);
  finding.stages = StagesThatLog(input.application, kPythonTimes);
  finding.change = are_reused ? "Use fewer and longer tasks, and keep large data out of the functions that tasks "
                                "deserialize (broadcast() it)"
                              : "Set spark.python.worker.reuse=true, use fewer and longer tasks, and import large "
                                "modules only where they are needed";
  finding.claim = ClaimStages(input, finding.stages, again_ns / input.cores, are_reused ? kSome : kHalf);
  return finding;
}

}  // namespace sparkprof
