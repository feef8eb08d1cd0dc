// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "analysis/findings/finding.h"
#include "model/application.h"

namespace sparkprof {

// Whether a stage fills or reads the cached RDD. Spark lists all cached RDDs behind a stage.
bool IsBehind(const CachedRdd& rdd, int64_t stage);
// Whether a stage fills or reads any cached RDD.
bool HasCache(const Application& application, int64_t stage);
// Whether a stage reads a cached RDD that an earlier one filled, other than `except`.
bool ReadsCache(const Application& application, int64_t stage, const CachedRdd* except = nullptr);

// IDs of the stages that read a cached RDD: neither the one that filled the cache, nor those that read another cache
// which was computed from it.
std::vector<int64_t> ReadersOf(const Application& application, const CachedRdd& rdd);

// The number of queries, and of jobs without a query, that these stages belong to, without that of another stage.
size_t QueriesOf(const Application& application, const std::vector<int64_t>& stages, int64_t without);

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
