// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <unordered_map>
#include <vector>

#include "model/samples/string_table.h"
#include "model/task_metrics.h"

namespace sparkprof {

// One number per SparkTaskMetric, in Spark's units.
struct HistoryTaskValues {
  std::array<int64_t, kSparkTaskMetricCount> numbers{};

  int64_t& operator[](SparkTaskMetric value) { return numbers[static_cast<size_t>(value)]; }
  int64_t operator[](SparkTaskMetric value) const { return numbers[static_cast<size_t>(value)]; }
};

struct Accumulable;

enum class HistoryTaskStatus : uint8_t { kRunning, kGettingResult, kSuccess, kFailed, kKilled };
std::string_view TaskStatusName(HistoryTaskStatus status);  // "SUCCESS"

// One row per task. A metric column allocates memory only from the first nonzero value on.
class TaskColumns {
 public:
  std::vector<int64_t> id;
  std::vector<int64_t> launch_ms;
  std::vector<int64_t> result_fetch_ms;  // 0 = the result came with the task's end
  std::vector<int64_t> duration_ms;
  std::vector<int32_t> index;
  std::vector<int32_t> attempt;
  std::vector<int32_t> partition;  // -1 = missing (before Spark 3.3)
  std::vector<StringId> executor;
  std::vector<StringId> host;
  std::vector<StringId> locality;
  std::vector<StringId> error;  // 0 = none
  std::vector<HistoryTaskStatus> status;
  std::vector<uint8_t> speculative;
  std::vector<uint8_t> has_metrics;                                     // 1 = the task has ended
  std::unordered_map<uint32_t, std::vector<Accumulable>> accumulables;  // by row

  size_t Size() const { return id.size(); }
  uint32_t AddRow();

  void SetValues(uint32_t row, const HistoryTaskValues& values);
  int64_t Value(uint32_t row, SparkTaskMetric value) const {
    const std::vector<int64_t>& column = values_[static_cast<size_t>(value)];
    return row < column.size() ? column[row] : 0;
  }
  bool HasValues(SparkTaskMetric value) const { return !values_[static_cast<size_t>(value)].empty(); }

  uint64_t Bytes() const;

 private:
  std::array<std::vector<int64_t>, kSparkTaskMetricCount> values_;  // each column ends at its last nonzero value
};

}  // namespace sparkprof
