// SPDX-License-Identifier: Apache-2.0
#include "analysis/findings/memory/cache_reads.h"

#include "analysis/findings/rules.h"

namespace sparkprof {

bool IsBehind(const CachedRdd& rdd, int64_t stage) { return Contains(rdd.stages, stage); }

bool HasCache(const Application& application, int64_t stage) {
  return std::ranges::any_of(application.cached_rdds, [stage](const CachedRdd& rdd) { return IsBehind(rdd, stage); });
}

bool ReadsCache(const Application& application, int64_t stage, const CachedRdd* except) {
  return std::ranges::any_of(application.cached_rdds, [&](const CachedRdd& rdd) {
    return &rdd != except && IsBehind(rdd, stage) && rdd.stages.front() != stage;
  });
}

std::vector<int64_t> ReadersOf(const Application& application, const CachedRdd& rdd) {
  std::vector<int64_t> readers;
  for (const int64_t stage : rdd.stages) {
    if (stage == rdd.stages.front()) continue;
    const bool reads_another = std::ranges::any_of(application.cached_rdds, [&](const CachedRdd& other) {
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
    if (Contains(stages, stage.id)) queries.insert(query);
  }
  for (const auto& query : excluded) queries.erase(query);
  return queries.size();
}

namespace {

// Rows of a stage's successful tasks, by index.
std::unordered_map<int64_t, uint32_t> TasksByIndex(const FindingInput& input, size_t stage) {
  const Tasks& tasks = input.application.tasks;
  std::unordered_map<int64_t, uint32_t> by_index;
  for (const uint32_t task : input.stages[stage].tasks) {
    if (tasks.outcome[task] == TaskOutcome::kSucceeded) by_index.emplace(tasks.index[task], task);
  }
  return by_index;
}

}  // namespace

RecomputedPartitions FindRecomputedPartitions(const FindingInput& input) {
  const Application& application = input.application;
  const MetricColumn& bytes = application.tasks.Column(TaskMetric::kInputBytes);
  const MetricColumn& durations = application.tasks.Column(TaskMetric::kDuration);
  std::unordered_map<int64_t, size_t> rows;
  for (size_t row = 0; row < application.stages.size(); ++row) rows.try_emplace(application.stages[row].id, row);
  RecomputedPartitions worst;
  int64_t most_ns = 0;
  for (const CachedRdd& rdd : application.cached_rdds) {
    const auto filler = rdd.stages.empty() ? rows.end() : rows.find(rdd.stages.front());
    if (filler == rows.end() || !rdd.in_memory || rdd.on_disk) continue;
    // Blocks of another cached RDD have the same size in each stage that reads them.
    if (ReadsCache(application, rdd.stages.front(), &rdd)) continue;
    const std::unordered_map<int64_t, uint32_t> filling = TasksByIndex(input, filler->second);
    if (static_cast<int64_t>(filling.size()) != rdd.partition_count) continue;
    RecomputedPartitions found{&rdd, {}, {}, 0};
    int64_t time_ns = 0;
    for (const int64_t reader : ReadersOf(application, rdd)) {
      const auto row = rows.find(reader);
      if (row == rows.end()) continue;
      const size_t before = found.tasks.size();
      for (const auto& [index, task] : TasksByIndex(input, row->second)) {
        const auto filled = filling.find(index);
        if (filled == filling.end() || bytes[task] == 0 || bytes[task] != bytes[filled->second]) continue;
        found.tasks.push_back(task);
        time_ns += durations[task];
      }
      if (found.tasks.size() == before) continue;
      found.stages.push_back(reader);
      found.partitions = std::max(found.partitions, static_cast<int64_t>(found.tasks.size() - before));
    }
    if (time_ns <= most_ns) continue;
    most_ns = time_ns;
    std::ranges::sort(found.tasks);
    worst = std::move(found);
  }
  return worst;
}

}  // namespace sparkprof
