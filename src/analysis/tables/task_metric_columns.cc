// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "analysis/tables/cells.h"
#include "base/text/contains.h"

namespace sparkprof {
namespace {

ColumnType TypeOfMetric(TaskMetric metric, bool in_millis) {
  const std::string_view unit = Text(metric).unit;
  if (unit == "ns") return in_millis ? ColumnType::kMillis : ColumnType::kNanos;
  return unit == "bytes" ? ColumnType::kBytes : ColumnType::kInteger;
}

Visibility VisibilityOfMetric(TaskMetric metric) {
  constexpr TaskMetric kShownMetrics[] = {TaskMetric::kExecutorRunTime, TaskMetric::kGcTime, TaskMetric::kInputBytes,
                                          TaskMetric::kShuffleReadBytes, TaskMetric::kShuffleWriteBytes};
  const bool shown = Contains(kShownMetrics, metric);
  return shown ? Visibility::kShown : Visibility::kHidden;
}

}  // namespace

bool HasTaskMetrics(const Tasks& tasks) {
  return std::ranges::any_of(kSparkTaskMetrics, [&](const auto& metric) {
    if (!metric.HasColumn()) return false;
    const MetricColumn& column = tasks.Column(metric.column);
    return std::ranges::any_of(column, [](int64_t value) { return value != 0; });
  });
}

void AddTaskMetricColumns(std::string_view SparkTaskMetricNames::*name, bool known,
                          const std::function<int64_t(TaskMetric, size_t row)>& value,
                          std::vector<TableColumn>* columns) {
  const bool is_of_tasks = name == &SparkTaskMetricNames::task;
  const auto add = [&](std::string_view column, std::string_view about, ColumnType type, Visibility visibility,
                       const std::function<int64_t(size_t)>& number) {
    columns->push_back({std::string(column), std::string(about), type, visibility,
                        [known, number](size_t row) { return known ? Cell(number(row)) : Cell(); }});
  };
  for (size_t i = 0; i < kSparkTaskMetricCount; ++i) {
    const SparkTaskMetricNames& metric = kSparkTaskMetrics[i];
    // Both kinds of table have the names of stages; those of tasks are added where they are members of groups.
    if (!metric.HasColumn() || (is_of_tasks && metric.group.empty())) continue;
    const TaskMetric column = metric.column;
    const std::string_view about = Text(column).about;
    const ColumnType type = TypeOfMetric(column, metric.in_millis);
    const Visibility visibility = is_of_tasks ? Visibility::kHidden : VisibilityOfMetric(column);
    if (static_cast<SparkTaskMetric>(i) == SparkTaskMetric::kLocalBytes) {
      add(metric.*name, "bytes read from the shuffle of the own executor", type, Visibility::kHidden,
          [value](size_t row) {
            return value(TaskMetric::kShuffleReadBytes, row) - value(TaskMetric::kShuffleRemoteBytes, row);
          });
      if (is_of_tasks) continue;
      add("shuffleReadBytes", about, type, visibility, [value, column](size_t row) { return value(column, row); });
    } else {
      add(metric.*name, about, type, visibility, [value, column, in_millis = metric.in_millis](size_t row) {
        return in_millis ? value(column, row) / kNanosPerMilli : value(column, row);
      });
    }
  }
}

}  // namespace sparkprof
