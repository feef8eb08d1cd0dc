// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "model/application.h"

namespace sparkprof {

// IDs of the stages that read a cached RDD: neither the one that filled the cache, nor those that read another cache
// which was computed from it. Spark lists all cached RDDs behind a stage.
std::vector<int64_t> ReadersOf(const Application& application, const CachedRdd& rdd);

// The number of queries, and of jobs without a query, that these stages belong to, without that of another stage.
size_t QueriesOf(const Application& application, const std::vector<int64_t>& stages, int64_t without);

}  // namespace sparkprof
