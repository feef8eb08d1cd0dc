// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <unordered_map>
#include <vector>

#include "base/hash_index.h"

namespace sparkprof {

// Accumulator updates of tasks, stages and the driver; SQL plan metrics are accumulators. As in Spark's UI, a plan
// metric is the sum over the successful tasks of each stage's latest attempt, plus the driver's updates.
class AccumulatorTable {
 public:
  struct Total {
    int64_t sum = 0;
    int64_t sum_not_negative = 0;  // size and timing metrics start at -1, which means no value
    int64_t count_not_negative = 0;
  };

  // `stage` is the row of the task's stage attempt.
  void AddTaskUpdate(int32_t stage, int64_t accumulator, int64_t value) { Add(stage, accumulator, value); }
  void AddDriverUpdate(int64_t accumulator, int64_t value) { Add(kDriver, accumulator, value); }

  // The accumulator's value when a stage completed; used only without updates by tasks or the driver.
  void SetStageValue(int64_t accumulator, int64_t value) { stage_values_[accumulator] = value; }

  // Totals of every accumulator over the stages for which `is_latest_attempt` (by stage row) is true.
  std::unordered_map<int64_t, Total> Totals(const std::vector<bool>& is_latest_attempt) const;

  // For each accumulator, the rows of the stages whose tasks updated it, unordered.
  std::unordered_map<int64_t, std::vector<int32_t>> Stages(const std::vector<bool>& is_latest_attempt) const;

 private:
  static constexpr int32_t kDriver = -1;

  struct Row {
    int32_t stage = kDriver;
    int64_t accumulator = 0;
    Total total;
  };

  void Add(int32_t stage, int64_t accumulator, int64_t value);
  static uint64_t Hash(int32_t stage, int64_t accumulator);

  std::vector<Row> rows_;
  HashIndex index_;
  std::unordered_map<int64_t, int64_t> stage_values_;
  // A stage's tasks usually list accumulators in the same order, so the next row is tried first.
  uint32_t next_row_ = 0;
};

}  // namespace sparkprof
