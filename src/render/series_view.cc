// SPDX-License-Identifier: Apache-2.0
#include "render/series_view.h"

#include <algorithm>

#include "base/time.h"

namespace sparkprof {
namespace {

struct SeriesText {
  std::string_view name, label;
};

// The series that the agent records. One that is not here is shown under its own name.
constexpr SeriesText kTexts[] = {
    {"process.cpu_ns", "CPU"},
    {"process.rss_bytes", "Resident memory"},
    {"process.rss_peak_bytes", "Resident memory, peak"},
    {"process.pss_bytes", "Proportional memory (PSS)"},
    {"process.threads", "Threads"},
    {"process.read_bytes", "Read from disk"},
    {"process.write_bytes", "Written to disk"},
    {"process.received_bytes", "Received over TCP"},
    {"agent.cpu_ns", "CPU of the profiler's agent"},
    {"agent.rss_bytes", "Memory of the profiler's agent"},
    {"jvm.heap_used_bytes", "Heap used"},
    {"jvm.heap_committed_bytes", "Heap committed"},
    {"jvm.heap_max_bytes", "Heap limit"},
    {"jvm.metaspace_used_bytes", "Metaspace used"},
    {"jvm.metaspace_committed_bytes", "Metaspace committed"},
    {"jvm.gc_time_ns", "Time in GC"},
    {"jvm.gc_count", "Collections"},
    {"jvm.jit_time_ns", "Time in the JIT compiler"},
    {"jvm.classes_loaded", "Classes loaded"},
    {"jvm.threads_live", "Java threads"},
    {"jvm.safepoint_time_ns", "Time at safepoints"},
    {"jvm.safepoint_count", "Safepoints"},
    // Series of other profilers' records.
    {"jvm.cpu_load", "CPU load of the JVM"},
    {"host.cpu_load", "CPU load of the host"},
    {"jvm.non_heap_used_bytes", "Non-heap memory used"},
    {"jvm.non_heap_committed_bytes", "Non-heap memory committed"},
    {"jvm.threads_started", "Threads started"},
    {"process.virtual_bytes", "Virtual memory"},
    {"process.virtual_peak_bytes", "Virtual memory, peak"},
    {"process.cpu_percent", "CPU measured by psutil"},
};

enum class Measure : uint8_t { kBytes, kCpu, kTime, kCount, kLoad, kCpuPercent };

Measure MeasureOf(std::string_view name) {
  if (name.ends_with("_bytes")) return Measure::kBytes;
  if (name.ends_with("cpu_ns")) return Measure::kCpu;
  if (name.ends_with("_load")) return Measure::kLoad;
  if (name.ends_with("cpu_percent")) return Measure::kCpuPercent;
  return name.ends_with("_ns") ? Measure::kTime : Measure::kCount;
}

std::string_view UnitOf(Measure measure) {
  constexpr std::string_view kUnits[] = {"bytes", "cores", "share", "count", "share", "cores"};
  return kUnits[static_cast<size_t>(measure)];
}

// One rate for each step of a counter, at the step's end. A step down, as after a restart, has none.
std::vector<SeriesPoint> Rates(const std::vector<SeriesPoint>& points, double per_ns) {
  std::vector<SeriesPoint> rates;
  for (size_t i = 1; i < points.size(); ++i) {
    const int64_t duration_ns = points[i].time_ns - points[i - 1].time_ns;
    const double growth = points[i].value - points[i - 1].value;
    if (duration_ns <= 0 || growth < 0) continue;
    rates.push_back({points[i].time_ns, growth / static_cast<double>(duration_ns) * per_ns});
  }
  return rates;
}

std::vector<SeriesPoint> Thin(const std::vector<SeriesPoint>& points, size_t max_points, bool largest) {
  if (points.size() <= max_points) return points;
  const size_t group = (points.size() + max_points - 1) / max_points;
  std::vector<SeriesPoint> thinned;
  for (size_t first = 0; first < points.size(); first += group) {
    const size_t end = std::min(points.size(), first + group);
    double sum = 0, top = points[first].value;
    for (size_t i = first; i < end; ++i) {
      sum += points[i].value;
      top = std::max(top, points[i].value);
    }
    thinned.push_back({points[end - 1].time_ns, largest ? top : sum / static_cast<double>(end - first)});
  }
  return thinned;
}

}  // namespace

SeriesView ViewOf(const ApplicationSeries& series, int64_t start_ns, size_t max_points) {
  const bool counter = series.kind == SeriesKind::kCounter;
  const Measure measure = MeasureOf(series.name);
  SeriesView view;
  view.unit = UnitOf(measure);
  view.label = series.name;
  for (const SeriesText& text : kTexts) {
    if (series.name == text.name) view.label = text.label;
  }
  if (counter && (measure == Measure::kBytes || measure == Measure::kCount)) view.label += " per second";
  const bool time_in_ns = measure == Measure::kCpu || measure == Measure::kTime;
  const std::vector<SeriesPoint> points =
      counter ? Rates(series.points, time_in_ns ? 1 : static_cast<double>(kNanosPerSecond)) : series.points;
  for (const SeriesPoint& point : Thin(points, max_points, !counter)) {
    view.time.push_back(static_cast<double>(point.time_ns - start_ns) / kNanosPerMilli);
    view.value.push_back(measure == Measure::kCpuPercent ? point.value / 100 : point.value);
  }
  return view;
}

}  // namespace sparkprof
