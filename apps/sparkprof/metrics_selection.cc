// SPDX-License-Identifier: Apache-2.0
#include "metrics_selection.h"

#include <algorithm>
#include <cctype>
#include <limits>
#include <map>

namespace sparkprof {
namespace {

bool Contains(std::string_view text, std::string_view part) { return text.find(part) != std::string_view::npos; }

std::string Lower(std::string_view text) {
  std::string lower(text);
  for (char& c : lower) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return lower;
}

bool IsKept(const RecordProcess& process, const std::string& name, const MetricsSelection& selection) {
  const auto is_part = [&](const std::string& part) { return Contains(name, part); };
  if (!selection.include.empty() && std::none_of(selection.include.begin(), selection.include.end(), is_part)) {
    return false;
  }
  if (std::any_of(selection.ignore.begin(), selection.ignore.end(), is_part)) return false;
  if (!Contains(Lower(RecordProfilerName(process.profiler)), Lower(selection.profiler))) return false;
  return selection.id.empty() || process.profiler != RecordProfiler::kPySpark || process.key == selection.id;
}

}  // namespace

std::vector<const RecordSeries*> SelectSeries(const ProfilerRecords& records, const MetricsSelection& selection) {
  std::vector<const RecordSeries*> standard;
  std::vector<const RecordSeries*> all;
  for (const RecordSeries& series : records.series) {
    if (!IsKept(records.processes[series.process], series.metric.name, selection)) continue;
    all.push_back(&series);
    if (series.metric.is_standard) standard.push_back(&series);
  }
  return selection.all || (standard.empty() && !selection.include.empty()) ? all : standard;
}

std::vector<MetricGroup> GroupByName(const std::vector<const RecordSeries*>& series) {
  std::vector<MetricGroup> groups;
  std::map<std::string_view, size_t> rows;
  for (const RecordSeries* one : series) {
    const auto [found, is_new] = rows.emplace(one->metric.name, groups.size());
    if (is_new) groups.push_back({one->metric.name, {}});
    groups[found->second].series.push_back(one);
  }
  return groups;
}

double Maximum(const MetricGroup& group, bool normalize) {
  double maximum = -std::numeric_limits<double>::infinity();
  for (const RecordSeries* series : group.series) {
    for (const SeriesPoint& point : series->points) {
      const double value = normalize ? NormalizedValue(series->metric.unit, point.value) : point.value;
      maximum = std::max(maximum, value);
    }
  }
  return maximum;
}

}  // namespace sparkprof
