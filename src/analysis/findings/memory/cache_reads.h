// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "analysis/findings/finding.h"
#include "model/application.h"

namespace sparkprof {

// True if a stage fills or reads the cached RDD. Spark lists all cached RDDs in a stage's lineage.
bool IsBehind(const CachedRdd& rdd, int64_t stage);
// True if a stage fills or reads any cached RDD.
bool HasCache(const Application& application, int64_t stage);
// True if a stage reads a cached RDD, other than `except`, that an earlier stage filled.
bool ReadsCache(const Application& application, int64_t stage, const CachedRdd* except = nullptr);

// IDs of stages that read a cached RDD, without the stage that filled it and without readers of another cache computed
// from it.
std::vector<int64_t> ReadersOf(const Application& application, const CachedRdd& rdd);

// The number of queries, and of jobs without a query, of these stages, without that of another stage.
size_t QueriesOf(const Application& application, const std::vector<int64_t>& stages, int64_t without);

// Partitions of a cached RDD that later stages computed again.
struct RecomputedPartitions {
  const CachedRdd* rdd = nullptr;  // null = none
  std::vector<int64_t> stages;     // IDs of the recomputing stages
  std::vector<uint32_t> tasks;     // rows of the recomputing tasks
  int64_t partitions = 0;          // maximum in one stage
};

// Detects recomputation by the bytes that tasks read: as many as the task that filled the partition, and not those of
// its block. Event logs have no blocks by default (spark.eventLog.logBlockUpdates.enabled). Returns the RDD whose tasks
// took the longest.
RecomputedPartitions FindRecomputedPartitions(const FindingInput& input);

}  // namespace sparkprof
