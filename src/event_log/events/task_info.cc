// SPDX-License-Identifier: Apache-2.0
#include "event_log/events/task_info.h"

#include <algorithm>
#include <array>
#include <limits>

namespace sparkprof {
namespace {

int32_t NarrowOr(int64_t value, int32_t fallback) {
  return value >= 0 && value <= std::numeric_limits<int32_t>::max() ? static_cast<int32_t>(value) : fallback;
}

// The number for Tasks::locality.
uint8_t LocalityCode(std::string_view locality) {
  constexpr std::array<std::string_view, 5> kLocalities = {"PROCESS_LOCAL", "NODE_LOCAL", "NO_PREF", "RACK_LOCAL",
                                                           "ANY"};
  return static_cast<uint8_t>(std::find(kLocalities.begin(), kLocalities.end(), locality) - kLocalities.begin());
}

}  // namespace

void Describe(const TaskInfo& info, DecodedTaskKind kind, DecodedTask* task) {
  if (info.id < 0) return;
  task->kind = kind;
  task->id = info.id;
  task->stage_id = info.stage_id;
  if (task->stage_id >= 0) task->stage_attempt = std::max<int64_t>(0, info.stage_attempt);
  task->index = NarrowOr(info.index, -1);
  task->attempt = NarrowOr(info.attempt, 0);
  task->partition = NarrowOr(info.partition, -1);
  task->launch_ns = info.launch_ns;
  task->finish_ns = info.finish_ns;
  task->executor = info.executor;
  task->host = info.host;
  task->locality = LocalityCode(info.locality);
  task->speculative = info.speculative;
}

void AddDurations(const TaskInfo& info, TaskValues* values) {
  if (info.finish_ns > info.launch_ns && info.launch_ns > 0) {
    (*values)[static_cast<size_t>(TaskMetric::kDuration)] = info.finish_ns - info.launch_ns;
  }
  if (info.getting_result_ns > 0 && info.finish_ns > info.getting_result_ns) {
    (*values)[static_cast<size_t>(TaskMetric::kGettingResultTime)] = info.finish_ns - info.getting_result_ns;
  }
}

// Spark's UI shows it as the time for scheduling, shipping and waiting.
void AddSchedulerDelay(TaskValues* values) {
  int64_t rest = (*values)[static_cast<size_t>(TaskMetric::kDuration)];
  for (const TaskMetric metric : {TaskMetric::kExecutorRunTime, TaskMetric::kDeserializeTime,
                                  TaskMetric::kResultSerializationTime, TaskMetric::kGettingResultTime}) {
    rest = std::max<int64_t>(0, rest - (*values)[static_cast<size_t>(metric)]);
  }
  (*values)[static_cast<size_t>(TaskMetric::kSchedulerDelay)] = rest;
}

}  // namespace sparkprof
