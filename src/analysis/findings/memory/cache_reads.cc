// SPDX-License-Identifier: Apache-2.0
#include "analysis/findings/memory/cache_reads.h"

#include <algorithm>
#include <set>
#include <utility>

namespace sparkprof {

bool IsBehind(const CachedRdd& rdd, int64_t stage) {
  return std::find(rdd.stages.begin(), rdd.stages.end(), stage) != rdd.stages.end();
}

bool HasCache(const Application& application, int64_t stage) {
  return std::any_of(application.cached_rdds.begin(), application.cached_rdds.end(),
                     [stage](const CachedRdd& rdd) { return IsBehind(rdd, stage); });
}

bool ReadsCache(const Application& application, int64_t stage, const CachedRdd* except) {
  return std::any_of(application.cached_rdds.begin(), application.cached_rdds.end(), [&](const CachedRdd& rdd) {
    return &rdd != except && IsBehind(rdd, stage) && rdd.stages.front() != stage;
  });
}

std::vector<int64_t> ReadersOf(const Application& application, const CachedRdd& rdd) {
  std::vector<int64_t> readers;
  for (const int64_t stage : rdd.stages) {
    if (stage == rdd.stages.front()) continue;
    const bool reads_another =
        std::any_of(application.cached_rdds.begin(), application.cached_rdds.end(), [&](const CachedRdd& other) {
          return &other != &rdd && IsBehind(other, stage) && other.stages.front() != stage &&
                 IsBehind(rdd, other.stages.front()) && other.stages.front() != rdd.stages.front();
        });
    if (!reads_another) readers.push_back(stage);
  }
  return readers;
}

size_t QueriesOf(const Application& application, const std::vector<int64_t>& stages, int64_t without) {
  std::set<std::pair<int64_t, int64_t>> queries, excluded;
  for (const Stage& stage : application.stages) {
    const std::pair<int64_t, int64_t> query{stage.sql_execution, stage.sql_execution < 0 ? stage.job : -1};
    if (stage.id == without) excluded.insert(query);
    if (std::find(stages.begin(), stages.end(), stage.id) != stages.end()) queries.insert(query);
  }
  for (const auto& query : excluded) queries.erase(query);
  return queries.size();
}

}  // namespace sparkprof
