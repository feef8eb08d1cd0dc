// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "analysis/account/account_entry.h"
#include "analysis/account/schedule.h"
#include "analysis/time/stage_summary.h"
#include "model/application.h"

namespace sparkprof {

// Time for which an attempt held its slot.
struct AttemptTime {
  PartTimes ns{};  // adds up to end − start in its slot
  // Ranges for overlapping metrics of Spark: garbage is also collected during deserialization and fetch waits.
  int64_t gc_low_ns = 0, gc_high_ns = 0, fetch_low_ns = 0, fetch_high_ns = 0;

  void Add(const AttemptTime& other, int64_t factor);
};

// Scales the time to `ns`.
AttemptTime PartOf(const AttemptTime& time, int64_t ns);

// Splits the time of attempts by Spark's metrics, and the unexplained rest in proportion to the stage's samples or
// Spark's times of its Python workers. Metrics are whole milliseconds, rounded down.
class TaskParts {
 public:
  // `stages` from SummarizeStages. All arguments must outlive it.
  TaskParts(const Application& application, const SlotTimes& times, const std::vector<StageSummary>& stages);

  AttemptTime Of(size_t task) const;

  // The entries of a sum over tasks of a stage (row, -1 = unknown), without empty parts.
  std::vector<AccountEntry> EntriesOf(const AttemptTime& sum, int32_t stage) const;

 private:
  // Waits of a stage's tasks while they neither compute nor collect garbage nor fetch, as fractions of that time.
  struct Waits {
    std::vector<std::pair<AccountPart, double>> shares;
    int64_t samples = 0;  // number of wall-clock samples
  };

  AttemptTime WithoutWaits(size_t task) const;
  Waits WaitsOf(const StageSummary& stage, int64_t python_ns) const;

  const Application& application_;
  const SlotTimes& times_;
  const bool has_metrics_, has_cpu_time_, stops_for_gc_;
  const int64_t run_time_factor_;
  std::vector<Waits> waits_;  // by stage row
};

}  // namespace sparkprof
