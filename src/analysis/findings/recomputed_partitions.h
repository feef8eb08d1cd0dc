// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "analysis/findings/finding.h"

namespace sparkprof {

// Partitions of a cached RDD that later stages computed again.
struct RecomputedPartitions {
  const CachedRdd* rdd = nullptr;  // null = none
  std::vector<int64_t> stages;     // IDs of those that computed them again
  std::vector<uint32_t> tasks;     // rows of theirs that did
  int64_t partitions = 0;          // the most in one stage
};

// By the bytes that tasks read: as many as the task that filled the partition, and not those of its block. Event logs
// have no blocks by default (spark.eventLog.logBlockUpdates.enabled). Returns the RDD whose tasks took the longest.
RecomputedPartitions FindRecomputedPartitions(const FindingInput& input);

}  // namespace sparkprof
