// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/time.h"
#include "model/application.h"

namespace sparkprof {

inline constexpr size_t kManyBatches = 5;                      // with rows; fewer are not meaningful
inline constexpr int64_t kLongBatchNs = 30 * kNanosPerSecond;  // one such batch is meaningful

std::vector<const StreamingBatch*> BatchesWithRows(const Application& application, int32_t query);

// Batches of all queries by time. The application must outlive it.
class BatchTimes {
 public:
  explicit BatchTimes(const Application& application);

  // The batch during which a stage or query starts, the first in the log if there are several; null if there is none.
  const StreamingBatch* At(int64_t time_ns) const;

 private:
  std::vector<const StreamingBatch*> by_start_;
  int64_t longest_ns_ = 0;
};

// True if these batches follow each other almost without a pause. A query that waits for its trigger does not end
// sooner if its batches do.
bool IsAlwaysBusy(const std::vector<const StreamingBatch*>& batches);

bool HasBusyStream(const Application& application);

// IDs of stages that start during a batch.
std::vector<int64_t> StagesOfBatches(const Application& application);

// The sum of a phase over batches, by Spark's name; ns.
int64_t PhaseOf(const std::vector<const StreamingBatch*>& batches, std::string_view phase);

// The two longest phases: "addBatch takes 92% of a batch, queryPlanning 4%".
std::string PhasesText(const std::vector<const StreamingBatch*>& batches);

// Lines of the driver's Python program during the batches, outside of Spark calls: of the function of foreachBatch().
std::vector<std::string> DriverLinesOf(const Application& application,
                                       const std::vector<const StreamingBatch*>& batches);

// The query's name, or the start of its run's ID.
std::string NameOf(const StreamingQuery& query);

}  // namespace sparkprof
