// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "base/text/text.h"
#include "history/answer_parts.h"
#include "history/scala_order.h"

namespace sparkprof {
namespace {

// Pseudo executor that holds blocks of lost executors.
constexpr std::string_view kFallbackStorage = "fallback";
constexpr std::string_view kDriverInAnswers = "driver";

void WriteResources(const std::vector<ExecutorResource>& resources, JsonWriter* json) {
  json->Key("resources").BeginObject();
  for (const ExecutorResource& resource : resources) {
    json->Key(resource.key)
        .BeginObject()
        .Member("name", resource.name)
        .Member("addresses", resource.addresses)
        .EndObject();
  }
  json->EndObject();
}

void WriteMemory(const HistoryExecutor& executor, JsonWriter* json) {
  if (!executor.has_memory_info) return;
  json->Key("memoryMetrics")
      .BeginObject()
      .Member("usedOnHeapStorageMemory", executor.used_on_heap)
      .Member("usedOffHeapStorageMemory", executor.used_off_heap)
      .Member("totalOnHeapStorageMemory", executor.total_on_heap)
      .Member("totalOffHeapStorageMemory", executor.total_off_heap)
      .EndObject();
}

// The driver's duration is the application's.
int64_t DurationOf(const History& history, const HistoryExecutor& executor, int64_t now_ms) {
  if (executor.id != kDriverInAnswers) return executor.total_duration_ms;
  return history.end_ms.value_or(now_ms) - history.start_ms;
}

int64_t GcTimeOf(const HistoryExecutor& executor) {
  const bool has_own = executor.id == kDriverInAnswers && executor.peaks.is_set;
  return has_own ? executor.peaks.values[kTotalGcTimeMetric] : executor.total_gc_time_ms;
}

void WriteExecutor(const History& history, const HistoryExecutor& executor, int64_t now_ms, JsonWriter* json) {
  const std::vector<int64_t> stages(executor.excluded_in_stages.begin(), executor.excluded_in_stages.end());
  json->BeginObject()
      .Member("id", executor.id)
      .Member("hostPort", executor.host_port.empty() ? executor.host : executor.host_port)
      .Member("isActive", executor.is_active)
      .Member("rddBlocks", executor.rdd_blocks)
      .Member("memoryUsed", executor.memory_used)
      .Member("diskUsed", executor.disk_used)
      .Member("totalCores", executor.total_cores)
      .Member("maxTasks", executor.max_tasks)
      .Member("activeTasks", executor.active_tasks)
      .Member("failedTasks", executor.failed_tasks)
      .Member("completedTasks", executor.completed_tasks)
      .Member("totalTasks", executor.total_tasks)
      .Member("totalDuration", DurationOf(history, executor, now_ms))
      .Member("totalGCTime", GcTimeOf(executor))
      .Member("totalInputBytes", executor.total_input_bytes)
      .Member("totalShuffleRead", executor.total_shuffle_read)
      .Member("totalShuffleWrite", executor.total_shuffle_write)
      .Member("isBlacklisted", executor.is_excluded)
      .Member("maxMemory", executor.max_memory)
      .Member("addTime", SparkTime(executor.add_ms));
  WriteTime("removeTime", executor.remove_ms, json);
  if (executor.remove_ms) json->Member("removeReason", executor.remove_reason);
  json->Key("executorLogs").Object(executor.logs);
  WriteMemory(executor, json);
  json->Member("blacklistedInStages", stages);
  WritePeaks("peakMemoryMetrics", executor.peaks, json);
  json->Key("attributes").Object(executor.attributes);
  WriteResources(executor.resources, json);
  json->Member("resourceProfileId", executor.resource_profile).Member("isExcluded", executor.is_excluded);
  json->Member("excludedInStages", stages);
  json->EndObject();
}

void WriteDistributions(const HistoryRdd& rdd, JsonWriter* json) {
  if (rdd.distributions.empty()) return;
  std::vector<int32_t> hashes;
  for (const RddDistribution& one : rdd.distributions) hashes.push_back(ScalaHash(one.executor));
  json->Key("dataDistribution").BeginArray();
  for (const size_t position : ScalaMutableMapOrder(hashes)) {
    const RddDistribution& one = rdd.distributions[position];
    json->BeginObject()
        .Member("address", one.address)
        .Member("memoryUsed", one.memory_used)
        .Member("memoryRemaining", one.memory_remaining)
        .Member("diskUsed", one.disk_used);
    if (one.has_memory_info) {
      json->Member("onHeapMemoryUsed", one.on_heap_used)
          .Member("offHeapMemoryUsed", one.off_heap_used)
          .Member("onHeapMemoryRemaining", one.on_heap_remaining)
          .Member("offHeapMemoryRemaining", one.off_heap_remaining);
    }
    json->EndObject();
  }
  json->EndArray();
}

void WriteRdd(const HistoryRdd& rdd, JsonWriter* json) {
  json->BeginObject()
      .Member("id", rdd.id)
      .Member("name", rdd.name)
      .Member("numPartitions", rdd.partition_count)
      .Member("numCachedPartitions", rdd.partitions.size())
      .Member("storageLevel", rdd.level.Description())
      .Member("memoryUsed", rdd.memory_used)
      .Member("diskUsed", rdd.disk_used);
  WriteDistributions(rdd, json);
  json->Key("partitions").BeginArray();
  for (const RddPartition& partition : rdd.partitions) {
    json->BeginObject()
        .Member("blockName", partition.block)
        .Member("storageLevel", partition.level.Description())
        .Member("memoryUsed", partition.memory_used)
        .Member("diskUsed", partition.disk_used)
        .Member("executors", partition.executors)
        .EndObject();
  }
  json->EndArray().EndObject();
}

}  // namespace

HistoryAnswer AnswerExecutors(const History& history, bool only_active, int64_t now_ms) {
  std::vector<const HistoryExecutor*> executors;
  for (const auto& [id, executor] : history.executors) {
    if (id != kFallbackStorage && (executor.is_active || !only_active)) executors.push_back(&executor);
  }
  if (only_active) std::reverse(executors.begin(), executors.end());
  JsonWriter json;
  json.BeginArray();
  for (const HistoryExecutor* const executor : executors) WriteExecutor(history, *executor, now_ms, &json);
  json.EndArray();
  return JsonAnswer(&json);
}

HistoryAnswer AnswerProcesses(const History& history) {
  JsonWriter json;
  json.BeginArray();
  for (const auto& [id, process] : history.processes) {
    json.BeginObject()
        .Member("id", id)
        .Member("hostPort", process.host_port)
        .Member("isActive", true)
        .Member("totalCores", process.cores)
        .Member("addTime", SparkTime(process.add_ms));
    json.Key("processLogs").Object(process.logs);
    json.EndObject();
  }
  json.EndArray();
  return JsonAnswer(&json);
}

HistoryAnswer AnswerRdds(const History& history, AnswerPath path) {
  JsonWriter json;
  if (path.empty()) {
    json.BeginArray();
    for (const auto& [id, rdd] : history.rdds) {
      if (!rdd.partitions.empty()) WriteRdd(rdd, &json);
    }
    json.EndArray();
    return JsonAnswer(&json);
  }
  const std::optional<int64_t> id = path.size() == 1 ? ParseInteger(path[0]) : std::nullopt;
  if (!id) return NoSuchPath();
  const auto rdd = history.rdds.find(*id);
  if (rdd == history.rdds.end()) return NotFound("no rdd found w/ id " + path[0]);
  WriteRdd(rdd->second, &json);
  return JsonAnswer(&json);
}

}  // namespace sparkprof
