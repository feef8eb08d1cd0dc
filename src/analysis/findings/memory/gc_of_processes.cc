// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <string>

#include "analysis/findings/rules.h"
#include "base/text/text.h"

namespace sparkprof {
namespace {

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

std::optional<Finding> FindGcOfProcesses(const FindingInput& input) {
  // Spark's task metrics are more accurate.
  const bool has_metrics = std::any_of(input.stages.begin(), input.stages.end(), [](const StageSummary& stage) {
    return stage.Total(TaskMetric::kExecutorRunTime) > 0;
  });
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
