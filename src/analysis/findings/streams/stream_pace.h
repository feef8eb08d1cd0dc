// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "model/application.h"

namespace sparkprof {

inline constexpr size_t kManyBatches = 5;  // with rows; fewer say little

// The batches with rows of one run of a query.
std::vector<const StreamingBatch*> BatchesWithRows(const Application& application, int32_t query);

// The batches of all queries by time. The application must outlive it.
class BatchTimes {
 public:
  explicit BatchTimes(const Application& application);

  // The batch in whose time a stage or a query starts, the first in the log of several; null if no batch runs then.
  const StreamingBatch* At(int64_t time_ns) const;

 private:
  std::vector<const StreamingBatch*> by_start_;
  int64_t longest_ns_ = 0;
};

// Whether these batches follow each other almost without a pause. A query that waits for its trigger does not end
// sooner if its batches do.
bool IsAlwaysBusy(const std::vector<const StreamingBatch*>& batches);

// Whether those of a query do.
bool HasBusyStream(const Application& application);

// IDs of the stages that start while a batch runs.
std::vector<int64_t> StagesOfBatches(const Application& application);

// A phase of batches by Spark's name, over all of them; ns.
int64_t PhaseOf(const std::vector<const StreamingBatch*>& batches, std::string_view phase);

// "addBatch takes 92% of a batch, queryPlanning 4%": the two longest phases.
std::string PhasesText(const std::vector<const StreamingBatch*>& batches);

// The query's name, or the start of the ID of its run.
std::string NameOf(const StreamingQuery& query);

}  // namespace sparkprof
