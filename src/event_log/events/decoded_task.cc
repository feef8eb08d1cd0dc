// SPDX-License-Identifier: Apache-2.0
#include "event_log/events/decoded_task.h"

#include <algorithm>
#include <optional>

#include "base/text/json_parser.h"
#include "base/text/text.h"
#include "event_log/events/task_end.h"
#include "event_log/events/task_info.h"

namespace sparkprof {
namespace {

constexpr int64_t kNoTaskId = -1;

struct EventInfo : TaskInfo {
  bool failed = false;
  bool killed = false;
  std::optional<simdjson::dom::array> accumulables;
};

EventInfo ReadTaskInfo(const simdjson::dom::object& event, const simdjson::dom::object& object) {
  EventInfo info;
  info.stage_id = IntegerAt(event, "Stage ID", kNoTaskId);
  info.stage_attempt = IntegerAt(event, "Stage Attempt ID", 0);
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

TaskOutcome OutcomeOf(const EventInfo& info, bool has_reason, std::string_view reason) {
  // Spark does not count these as failures: the driver denies the commit of a task whose other attempt was faster.
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

// Before Spark 3.0, it exists only as an accumulator.
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

void DecodeValues(const simdjson::dom::object& event, const EventInfo& info, TaskValues* values) {
  AddDurations(info, values);
  simdjson::dom::object metrics;
  if (!ObjectAt(event, "Task Metrics", &metrics)) return;
  const bool has_peak = ReadTaskMetrics(metrics, values);
  if (!has_peak && info.accumulables) {
    (*values)[static_cast<size_t>(TaskMetric::kPeakExecutionMemory)] = PeakExecutionMemory(*info.accumulables);
  }
  AddSchedulerDelay(values);
}

}  // namespace

void DecodeTaskStart(const simdjson::dom::object& event, DecodedTask* task) {
  simdjson::dom::object info;
  if (ObjectAt(event, "Task Info", &info)) Describe(ReadTaskInfo(event, info), DecodedTaskKind::kStart, task);
}

void DecodeTaskEnd(const simdjson::dom::object& event, TaskLists* lists, DecodedTask* task) {
  simdjson::dom::object info_object;
  if (!ObjectAt(event, "Task Info", &info_object)) return;
  simdjson::dom::object reason;
  task->has_reason = ObjectAt(event, "Task End Reason", &reason);
  const std::string_view reason_name = task->has_reason ? TextAt(reason, "Reason") : std::string_view();
  const EventInfo info = ReadTaskInfo(event, info_object);
  if (reason_name == "Resubmitted") {
    Describe(info, DecodedTaskKind::kResubmitted, task);
    return;
  }
  Describe(info, DecodedTaskKind::kEnd, task);
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
