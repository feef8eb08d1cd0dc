// SPDX-License-Identifier: Apache-2.0
#include "render/report/series_view.h"

#include <algorithm>
#include <iterator>

#include "analysis/machines/series.h"
#include "base/time.h"

namespace sparkprof {
namespace {

bool IsCpuOfHost(const ApplicationSeries& series) {
  return series.process < 0 && series.kind == SeriesKind::kCounter && series.name.starts_with("host.cpu_");
}

std::string_view UnitOf(SeriesMeasure measure) {
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

// The value of a counter at a time; points are omitted only where it does not change.
double ValueAt(const std::vector<SeriesPoint>& points, int64_t time_ns) {
  const auto after = std::lower_bound(points.begin(), points.end(), time_ns,
                                      [](const SeriesPoint& point, int64_t ns) { return point.time_ns < ns; });
  if (after == points.end()) return points.empty() ? 0 : points.back().value;
  if (after == points.begin() || after->time_ns == time_ns) return after->value;
  const SeriesPoint& before = *std::prev(after);
  return before.value + (after->value - before.value) * static_cast<double>(time_ns - before.time_ns) /
                            static_cast<double>(after->time_ns - before.time_ns);
}

// Shares of the growth of all CPU counters of the host, idle time included: they add up to 100% whatever the clock.
std::vector<SeriesPoint> SharesOfHost(const std::vector<SeriesPoint>& points,
                                      const std::vector<ApplicationSeries>& all) {
  std::vector<SeriesPoint> shares;
  for (size_t i = 1; i < points.size(); ++i) {
    double growth = 0;
    for (const ApplicationSeries& part : all) {
      if (!IsCpuOfHost(part)) continue;
      growth += std::max(0.0, ValueAt(part.points, points[i].time_ns) - ValueAt(part.points, points[i - 1].time_ns));
    }
    const double own = points[i].value - points[i - 1].value;
    if (growth > 0 && own >= 0) shares.push_back({points[i].time_ns, own / growth});
  }
  return shares;
}

// At most one second a second, whatever the number of threads.
bool IsAtMostTheClock(std::string_view name) {
  return name == "jvm.gc_time_ns" || name.ends_with(".busy_ns") || name.find("pressure_") != std::string_view::npos;
}

// A collection counts when it ends: what exceeds a step ran in the steps before. `shares` are rates of `points`.
void MoveExcessBack(const std::vector<SeriesPoint>& points, std::vector<SeriesPoint>* shares) {
  double excess_ns = 0;
  auto point = points.rbegin();
  for (auto share = shares->rbegin(); share != shares->rend(); ++share) {
    while (point->time_ns != share->time_ns) ++point;
    const auto duration_ns = static_cast<double>(share->time_ns - std::next(point)->time_ns);
    const double all_ns = share->value * duration_ns + excess_ns;
    share->value = std::min(1.0, all_ns / duration_ns);
    excess_ns = std::max(0.0, all_ns - duration_ns);
  }
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

SeriesView ViewOf(const ApplicationSeries& series, int64_t start_ns, size_t max_points,
                  const std::vector<ApplicationSeries>& all) {
  const bool counter = series.kind == SeriesKind::kCounter;
  const SeriesMeasure measure = MeasureOfSeries(series.name);
  SeriesView view;
  const bool time_in_ns = measure == SeriesMeasure::kCpu || measure == SeriesMeasure::kTime;
  // Only the growth of a time is a number of cores, or a share.
  view.unit = time_in_ns && !counter ? "ns" : UnitOf(measure);
  view.label = LabelOfSeries(series.name);
  if (counter && (measure == SeriesMeasure::kBytes || measure == SeriesMeasure::kCount)) view.label += " per second";
  std::vector<SeriesPoint> points = !counter ? series.points
                                    : IsCpuOfHost(series)
                                        ? SharesOfHost(series.points, all)
                                        : Rates(series.points, time_in_ns ? 1 : static_cast<double>(kNanosPerSecond));
  if (counter && IsAtMostTheClock(series.name)) MoveExcessBack(series.points, &points);
  for (const SeriesPoint& point : Thin(points, max_points, !counter)) {
    view.time.push_back(static_cast<double>(point.time_ns - start_ns) / kNanosPerMilli);
    view.value.push_back(measure == SeriesMeasure::kCpuPercent ? point.value / 100 : point.value);
  }
  return view;
}

}  // namespace sparkprof
