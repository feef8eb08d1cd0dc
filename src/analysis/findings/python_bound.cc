// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include "analysis/findings/rules.h"
#include "analysis/series_math.h"
#include "base/text.h"

namespace sparkprof {
namespace {

constexpr double kMuchPython = 0.4;  // of the tasks' wall-clock samples
constexpr double kBusyPython = 0.5;  // CPU of the workers against the time the JVM waited for them

}  // namespace

std::optional<Finding> FindPythonBoundStages(const FindingInput& input, const Stage& stage,
                                             const StageSummary& summary) {
  const double share = Share(summary.python_wait_ns, summary.wall_samples_ns);
  const int64_t wait_ns =
      static_cast<int64_t>(static_cast<double>(summary.Total(TaskMetric::kExecutorRunTime)) * share);
  if (share < kMuchPython || wait_ns < kWorthwhileNs) return std::nullopt;
  int64_t begin_ns = 0, end_ns = 0;
  TaskSpan(input, summary, &begin_ns, &end_ns);
  const int64_t python_cpu_ns = PythonCpuBetween(input.application, begin_ns, end_ns);
  const bool known = HasPythonCpu(input.application);
  const bool computes = !known || Share(python_cpu_ns, wait_ns) >= kBusyPython;
  Finding finding;
  finding.id = StageFindingId("python", stage);
  finding.title = fmt::format("Stage {}: tasks wait for {} code for {} of their time", stage.id,
                              computes ? "Python" : "sleeping Python", FormatShare(share));
  finding.confidence = known ? 0.85 : 0.7;
  finding.what =
      fmt::format("In {}, the JVM waited for Python for {} of task time", StageText(stage), FormatShare(share));
  finding.evidence = fmt::format("about {} of {} run time, by wall-clock samples", FormatDuration(wait_ns),
                                 FormatDuration(summary.Total(TaskMetric::kExecutorRunTime)));
  if (known) {
    finding.evidence += fmt::format("; Python workers used {} of CPU time meanwhile", FormatDuration(python_cpu_ns));
  }
  finding.change =
      computes ? "Replace the Python function by built-in SQL functions or by a pandas UDF on whole batches. "
                 "In Python, build objects once per partition instead of for each record"
               : "The Python function sleeps or waits for a service, a disk or a lock: remove the wait, or request "
                 "many records at once (mapPartitions, mapInPandas)";
  finding.rule = fmt::format("The JVM waits for its Python worker in at least {} of a stage's wall-clock samples",
                             FormatShare(kMuchPython));
  finding.selection = SelectStage(stage, Event::kWall);
  finding.gain_ns = WallTimeOf(input, summary, wait_ns);
  finding.severity = SeverityOf(finding.gain_ns, input.duration_ns);
  return finding;
}

}  // namespace sparkprof
