// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <string_view>
#include <vector>

#include "analysis/tables/table.h"
#include "model/task_metrics.h"

namespace sparkprof {

// Whether the tasks have metrics. Text logs have none: they are then unknown, not zero.
bool HasTaskMetrics(const Tasks& tasks);

// Adds a column for each of Spark's task metrics, with its name in stages, or for those in groups, with its name in
// tasks. `value` is in the unit of TaskMetric.
void AddTaskMetricColumns(std::string_view SparkTaskMetricNames::*name, bool known,
                          const std::function<int64_t(TaskMetric, size_t row)>& value,
                          std::vector<TableColumn>* columns);

}  // namespace sparkprof
