// SPDX-License-Identifier: Apache-2.0
#include "analysis/findings/python/worker_times.h"

#include <re2/re2.h>

#include <algorithm>

#include "analysis/findings/log_values.h"
#include "analysis/findings/plans/plan_operator.h"
#include "base/time.h"

namespace sparkprof {
namespace {

// PySpark's own startup per task: on a busy machine it reads the directories of its zip files in 0.3 s.
constexpr int64_t kOwnStartMs = 400;

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

}  // namespace sparkprof
