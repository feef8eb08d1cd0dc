// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "analysis/findings/rules.h"
#include "base/text.h"

namespace sparkprof {
namespace {

constexpr double kMuchGc = 0.1;  // of the time that the series cover

struct Collections {
  int64_t gc_ns = 0;
  int64_t span_ns = 0;
};

// Of each process: series that together have all of its collections.
std::map<std::pair<int32_t, int32_t>, Collections> CollectionsOf(const Application& application) {
  std::map<std::pair<int32_t, int32_t>, Collections> processes;
  for (const ApplicationSeries& series : application.series) {
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
  // Tasks have a more exact account.
  if (input.application.tasks.Size() > 0) return std::nullopt;
  Collections worst;
  for (const auto& [key, process] : CollectionsOf(input.application)) {
    if (Share(process.gc_ns, process.span_ns) > Share(worst.gc_ns, worst.span_ns)) worst = process;
  }
  const double share = Share(worst.gc_ns, worst.span_ns);
  if (share < kMuchGc || worst.gc_ns < kWorthwhileNs) return std::nullopt;
  Finding finding;
  finding.title = fmt::format("GC takes {} of a JVM's time", FormatShare(share));
  finding.confidence = 0.8;
  finding.what = fmt::format("Garbage collection took {} of {} in one of the JVMs", FormatDuration(worst.gc_ns),
                             FormatDuration(worst.span_ns));
  finding.evidence = "series of the time in collections";
  finding.condition = fmt::format("Without tasks in the inputs: GC takes at least {} of a JVM's time, and at least {}",
                                  FormatShare(kMuchGc), FormatDuration(kWorthwhileNs));
  finding.selection.event = EventName(Event::kAlloc);
  finding.change =
      "Keep fewer objects in memory at once, cache less or serialized data, or increase the heap "
      "(spark.executor.memory, spark.driver.memory). A profile shows what allocates";
  finding.gain_ns = worst.gc_ns;
  finding.gain_low = 0.3;
  finding.gain_high = 1;
  finding.severity = SeverityOf(finding.gain_ns, input.duration_ns);
  return finding;
}

}  // namespace sparkprof
