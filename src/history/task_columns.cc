// SPDX-License-Identifier: Apache-2.0
#include "history/task_columns.h"

#include "history/history.h"

namespace sparkprof {

std::string_view TaskStatusName(HistoryTaskStatus status) {
  constexpr std::string_view kNames[] = {"RUNNING", "GET RESULT", "SUCCESS", "FAILED", "KILLED"};
  return kNames[static_cast<size_t>(status)];
}

uint32_t TaskColumns::AddRow() {
  id.push_back(0);
  launch_ms.push_back(0);
  result_fetch_ms.push_back(0);
  duration_ms.push_back(0);
  index.push_back(0);
  attempt.push_back(0);
  partition.push_back(0);
  executor.push_back(0);
  host.push_back(0);
  locality.push_back(0);
  error.push_back(0);
  status.push_back(HistoryTaskStatus::kRunning);
  speculative.push_back(0);
  has_metrics.push_back(0);
  return static_cast<uint32_t>(id.size() - 1);
}

void TaskColumns::SetValues(uint32_t row, const HistoryTaskValues& values) {
  has_metrics[row] = 1;
  for (size_t value = 0; value < kSparkTaskMetricCount; ++value) {
    std::vector<int64_t>& column = values_[value];
    if (values.numbers[value] == 0 && row >= column.size()) continue;
    if (row >= column.size()) column.resize(row + 1);
    column[row] = values.numbers[value];
  }
}

uint64_t TaskColumns::Bytes() const {
  uint64_t bytes = id.capacity() * (4 * sizeof(int64_t) + 3 * sizeof(int32_t) + 4 * sizeof(StringId) + 3);
  for (const std::vector<int64_t>& column : values_) bytes += column.capacity() * sizeof(int64_t);
  for (const auto& [row, list] : accumulables) bytes += 64 + list.capacity() * sizeof(Accumulable);
  return bytes;
}

}  // namespace sparkprof
