// SPDX-License-Identifier: Apache-2.0
#include "event_log/decoded_task.h"

#include <algorithm>
#include <array>
#include <limits>
#include <optional>

#include "base/json_value.h"
#include "base/text.h"
#include "event_log/task_failure.h"

namespace sparkprof {
namespace {

constexpr int64_t kNoTaskId = -1;

struct TaskInfo {
  int64_t id = kNoTaskId;
  int64_t index = -1;
  int64_t attempt = 0;
  int64_t partition = -1;
  int64_t launch_ns = 0;
  int64_t getting_result_ns = 0;
  int64_t finish_ns = 0;
  std::string_view executor;
  std::string_view host;
  std::string_view locality;
  bool speculative = false;
  bool failed = false;
  bool killed = false;
  std::optional<simdjson::dom::array> accumulables;
};

int32_t NarrowOr(int64_t value, int32_t fallback) {
  return value >= 0 && value <= std::numeric_limits<int32_t>::max() ? static_cast<int32_t>(value) : fallback;
}

TaskInfo ReadTaskInfo(const simdjson::dom::object& object) {
  TaskInfo info;
  for (const simdjson::dom::key_value_pair member : object) {
    const std::string_view key = member.key;
    const simdjson::dom::element& value = member.value;
    if (key == "Task ID") {
      info.id = IntegerOf(value, kNoTaskId);
    } else if (key == "Index") {
      info.index = IntegerOf(value, -1);
    } else if (key == "Attempt") {
      info.attempt = IntegerOf(value, 0);
    } else if (key == "Partition ID") {
      info.partition = IntegerOf(value, -1);
    } else if (key == "Launch Time") {
      info.launch_ns = NanosFromMillis(IntegerOf(value, 0));
    } else if (key == "Executor ID") {
      info.executor = TextOf(value);
    } else if (key == "Host") {
      info.host = TextOf(value);
    } else if (key == "Locality") {
      info.locality = TextOf(value);
    } else if (key == "Speculative") {
      info.speculative = BooleanOf(value);
    } else if (key == "Getting Result Time") {
      info.getting_result_ns = NanosFromMillis(IntegerOf(value, 0));
    } else if (key == "Finish Time") {
      info.finish_ns = NanosFromMillis(IntegerOf(value, 0));
    } else if (key == "Failed") {
      info.failed = BooleanOf(value);
    } else if (key == "Killed") {
      info.killed = BooleanOf(value);
    } else if (key == "Accumulables") {
      simdjson::dom::array accumulables;
      if (value.get_array().get(accumulables) == simdjson::SUCCESS) info.accumulables = accumulables;
    }
  }
  return info;
}

// The number in Tasks::locality.
uint8_t LocalityCode(std::string_view locality) {
  constexpr std::array<std::string_view, 5> kLocalities = {"PROCESS_LOCAL", "NODE_LOCAL", "NO_PREF", "RACK_LOCAL",
                                                           "ANY"};
  return static_cast<uint8_t>(std::find(kLocalities.begin(), kLocalities.end(), locality) - kLocalities.begin());
}

void DecodeInfo(const simdjson::dom::object& event, const TaskInfo& info, DecodedTaskKind kind, DecodedTask* task) {
  if (info.id < 0) return;
  task->kind = kind;
  task->id = info.id;
  task->stage_id = IntegerAt(event, "Stage ID", kNoTaskId);
  if (task->stage_id >= 0) task->stage_attempt = std::max<int64_t>(0, IntegerAt(event, "Stage Attempt ID", 0));
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

TaskOutcome OutcomeOf(const TaskInfo& info, bool has_reason, std::string_view reason) {
  // Failures in Spark's count: the driver denies the commit of a task whose other attempt was faster.
  if (info.killed || reason == "TaskKilled" || reason == "TaskCommitDenied") return TaskOutcome::kKilled;
  if (info.failed || (has_reason && reason != "Success")) return TaskOutcome::kFailed;
  return TaskOutcome::kSucceeded;
}

// Updates of SQL plan metrics are written as text, Spark's own task metrics as numbers (those are in Task Metrics too).
void DecodeUpdates(const simdjson::dom::array& accumulables, std::vector<std::pair<int64_t, int64_t>>* updates) {
  for (const simdjson::dom::element element : accumulables) {
    simdjson::dom::object accumulable;
    if (element.get_object().get(accumulable) != simdjson::SUCCESS) continue;
    int64_t id = kNoTaskId;
    for (const simdjson::dom::key_value_pair member : accumulable) {
      if (member.key == "ID") {
        id = IntegerOf(member.value, kNoTaskId);
      } else if (member.key == "Update") {
        const std::string_view text = TextOf(member.value);
        const std::optional<int64_t> update = text.empty() ? std::nullopt : ParseInteger(text);
        if (update && id >= 0) updates->emplace_back(id, *update);
        break;
      }
    }
  }
}

// Before Spark 3.0, only an accumulator has it.
int64_t PeakExecutionMemory(const simdjson::dom::array& accumulables) {
  for (const simdjson::dom::element element : accumulables) {
    simdjson::dom::object accumulable;
    if (element.get_object().get(accumulable) != simdjson::SUCCESS) continue;
    const std::string_view name = TextAt(accumulable, "Name");
    if (name != "internal.metrics.peakExecutionMemory" && name != "peakExecutionMemory") continue;
    simdjson::dom::element update;
    if (!Find(accumulable, "Update", &update)) return 0;
    return std::max<int64_t>(0, IntegerOf(update, ParseInteger(TextOf(update)).value_or(0)));
  }
  return 0;
}

// Scheduler delay in Spark's UI: the rest of the task's duration for scheduling, shipping and waiting.
int64_t SchedulerDelay(const TaskValues& values) {
  int64_t rest = values[static_cast<size_t>(TaskMetric::kDuration)];
  for (const TaskMetric metric : {TaskMetric::kExecutorRunTime, TaskMetric::kDeserializeTime,
                                  TaskMetric::kResultSerializationTime, TaskMetric::kGettingResultTime}) {
    rest = std::max<int64_t>(0, rest - values[static_cast<size_t>(metric)]);
  }
  return rest;
}

void DecodeValues(const simdjson::dom::object& event, const TaskInfo& info, TaskValues* values) {
  if (info.finish_ns > info.launch_ns && info.launch_ns > 0) {
    (*values)[static_cast<size_t>(TaskMetric::kDuration)] = info.finish_ns - info.launch_ns;
  }
  if (info.getting_result_ns > 0 && info.finish_ns > info.getting_result_ns) {
    (*values)[static_cast<size_t>(TaskMetric::kGettingResultTime)] = info.finish_ns - info.getting_result_ns;
  }
  simdjson::dom::object metrics;
  if (!ObjectAt(event, "Task Metrics", &metrics)) return;
  const bool has_peak = ReadTaskMetrics(metrics, values);
  if (!has_peak && info.accumulables) {
    (*values)[static_cast<size_t>(TaskMetric::kPeakExecutionMemory)] = PeakExecutionMemory(*info.accumulables);
  }
  (*values)[static_cast<size_t>(TaskMetric::kSchedulerDelay)] = SchedulerDelay(*values);
}

}  // namespace

void DecodeTaskStart(const simdjson::dom::object& event, DecodedTask* task) {
  simdjson::dom::object info;
  if (ObjectAt(event, "Task Info", &info)) DecodeInfo(event, ReadTaskInfo(info), DecodedTaskKind::kStart, task);
}

void DecodeTaskEnd(const simdjson::dom::object& event, TaskLists* lists, DecodedTask* task) {
  simdjson::dom::object info_object;
  if (!ObjectAt(event, "Task Info", &info_object)) return;
  simdjson::dom::object reason;
  task->has_reason = ObjectAt(event, "Task End Reason", &reason);
  const std::string_view reason_name = task->has_reason ? TextAt(reason, "Reason") : std::string_view();
  const TaskInfo info = ReadTaskInfo(info_object);
  if (reason_name == "Resubmitted") {
    DecodeInfo(event, info, DecodedTaskKind::kResubmitted, task);
    return;
  }
  DecodeInfo(event, info, DecodedTaskKind::kEnd, task);
  if (task->kind == DecodedTaskKind::kDamaged) return;
  task->outcome = OutcomeOf(info, task->has_reason, reason_name);
  const bool succeeded = task->outcome == TaskOutcome::kSucceeded;
  if (!succeeded && task->has_reason) {
    constexpr size_t kMaxReasonSize = 8192;
    task->reason = TaskFailureText(reason);
    task->reason.resize(CutUtf8(task->reason, kMaxReasonSize).size());
  }
  DecodeValues(event, info, &lists->values.emplace_back());
  simdjson::dom::object peaks;
  if (ObjectAt(event, "Task Executor Metrics", &peaks)) {
    for (const simdjson::dom::key_value_pair member : peaks) {
      lists->peaks.emplace_back(member.key, IntegerOf(member.value, 0));
      ++task->peaks;
    }
  }
  const size_t updates = lists->updates.size();
  if (succeeded && info.accumulables) DecodeUpdates(*info.accumulables, &lists->updates);
  task->updates = lists->updates.size() - updates;
  const size_t blocks = lists->blocks.size();
  simdjson::dom::object metrics;
  if (ObjectAt(event, "Task Metrics", &metrics)) DecodeUpdatedBlocks(metrics, &lists->blocks);
  task->blocks = lists->blocks.size() - blocks;
}

bool DecodeTask(std::string_view name, const simdjson::dom::object& event, TaskLists* lists, DecodedTask* task) {
  if (name == "SparkListenerTaskEnd") {
    DecodeTaskEnd(event, lists, task);
    return true;
  }
  if (name != "SparkListenerTaskStart" && name != "SparkListenerTaskGettingResult") return false;
  DecodeTaskStart(event, task);
  return true;
}

}  // namespace sparkprof
