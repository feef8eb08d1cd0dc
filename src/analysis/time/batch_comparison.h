// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "model/application.h"

namespace sparkprof {

// A number of the slowest batch and of the median batch of a streaming query.
struct BatchDifference {
  enum class Part : uint8_t { kBatch, kPhase, kStage };
  Part part = Part::kBatch;
  std::string name;    // "duration", "numInputRows", "addBatch", "shuffleReadBytes"
  std::string label;   // "duration", "Shuffle read"
  std::string unit;    // "ns", "bytes" or "count"
  int64_t stage = -1;  // for kStage: ID in the slowest batch
  std::string stage_name;
  int64_t slowest = 0;
  std::optional<int64_t> median;  // nullopt if it has no such phase or stage

  int64_t Excess() const { return slowest - median.value_or(0); }
};

// Compares the slowest batch with rows of one run of a query with the one of median duration.
struct BatchComparison {
  const StreamingQuery* query = nullptr;
  const StreamingBatch* slowest = nullptr;
  const StreamingBatch* median = nullptr;
  size_t batches = 0;  // number of compared batches
  // Numbers of the slowest batch, its phases and the stages of its jobs; task metrics are sums, except for the longest
  // task. Phases and stages are sorted by excess time. A stage is compared with the one of the same name and the same
  // index among stages with this name.
  std::vector<BatchDifference> differences;

  // The phase and the stage with the largest excess over the median batch; null = none.
  const BatchDifference* LargestPhase() const;
  const BatchDifference* LargestStage() const;  // its duration
  // A metric of that stage with a much larger value.
  const BatchDifference* Cause() const;
};

// One per run of a query with at least kComparedBatches batches with rows after its first one, which also compiles and
// loads classes.
inline constexpr size_t kComparedBatches = 5;
std::vector<BatchComparison> CompareBatches(const Application& application);

}  // namespace sparkprof
