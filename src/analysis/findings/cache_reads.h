// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

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

}  // namespace sparkprof
