// SPDX-License-Identifier: Apache-2.0
#include "history/history.h"

namespace sparkprof {
namespace {

uint64_t BytesOf(const TextPairs& pairs) {
  uint64_t bytes = pairs.capacity() * sizeof(pairs[0]);
  for (const auto& [name, value] : pairs) bytes += name.capacity() + value.capacity();
  return bytes;
}

uint64_t BytesOf(const HistoryStage& stage) {
  return sizeof stage + stage.executors.capacity() * sizeof(ExecutorStageSummary) +
         stage.tasks.capacity() * sizeof(uint32_t) + stage.info.rdd_ids.capacity() * sizeof(int64_t) +
         stage.info.accumulables.capacity() * sizeof(Accumulable);
}

uint64_t BytesOf(const HistorySqlExecution& execution) {
  uint64_t bytes = sizeof execution + execution.description.capacity() + execution.plan_text.capacity();
  for (const PlanGraphNode& node : execution.graph.nodes) {
    bytes += sizeof node + node.name.capacity();
    for (const PlanGraphMetric& metric : node.metrics) bytes += sizeof metric + metric.name.capacity();
  }
  for (const auto& [accumulator, text] : execution.metric_values) bytes += 64 + text.capacity();
  return bytes;
}

}  // namespace

uint64_t History::Bytes() const {
  uint64_t bytes = sizeof *this + tasks.Bytes() + jobs.size() * sizeof(HistoryJob);
  for (StringId string = 0; string < strings.Size(); ++string) bytes += 32 + strings.Get(string).size();
  for (const auto& [key, stage] : stages) bytes += BytesOf(stage);
  for (const auto& [key, execution] : sql_executions) bytes += BytesOf(execution);
  bytes += connect_sessions.size() * sizeof(HistoryConnectSession);
  for (const auto& [key, operation] : connect_operations)
    bytes += sizeof operation + 2 * key.size() + operation.statement.size() + operation.detail.size();
  for (const auto& [key, executor] : executors)
    bytes += sizeof executor + BytesOf(executor.logs) + BytesOf(executor.attributes);
  for (const auto& [key, rdd] : rdds) {
    bytes += sizeof rdd + rdd.partitions.size() * 2 * sizeof(RddPartition) +
             rdd.distributions.size() * sizeof(RddDistribution);
  }
  for (const TextPairs* const pairs :
       {&environment.spark, &environment.hadoop, &environment.system, &environment.metrics, &environment.classpath})
    bytes += BytesOf(*pairs);
  return bytes;
}

}  // namespace sparkprof
