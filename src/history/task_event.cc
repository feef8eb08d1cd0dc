// SPDX-License-Identifier: Apache-2.0
#include "history/task_event.h"

#include <limits>
#include <span>
#include <string_view>

#include "base/json_value.h"
#include "base/redaction/redaction.h"
#include "base/text.h"
#include "event_log/task_failure.h"
#include "history/count.h"

namespace sparkprof {
namespace {

constexpr std::string_view kTaskStart = "SparkListenerTaskStart";
constexpr std::string_view kTaskEnd = "SparkListenerTaskEnd";

struct Field {
  std::string_view name;
  TaskValue value;
};

// In the order in which Spark writes them, which makes the search short.
constexpr Field kTaskFields[] = {
    {"Executor Deserialize Time", TaskValue::kDeserializeTime},
    {"Executor Deserialize CPU Time", TaskValue::kDeserializeCpuTime},
    {"Executor Run Time", TaskValue::kRunTime},
    {"Executor CPU Time", TaskValue::kCpuTime},
    {"Peak Execution Memory", TaskValue::kPeakExecutionMemory},
    {"Result Size", TaskValue::kResultSize},
    {"JVM GC Time", TaskValue::kGcTime},
    {"Result Serialization Time", TaskValue::kResultSerializationTime},
    {"Memory Bytes Spilled", TaskValue::kMemorySpilled},
    {"Disk Bytes Spilled", TaskValue::kDiskSpilled},
};
constexpr Field kReadFields[] = {
    {"Remote Blocks Fetched", TaskValue::kRemoteBlocks},
    {"Local Blocks Fetched", TaskValue::kLocalBlocks},
    {"Fetch Wait Time", TaskValue::kFetchWaitTime},
    {"Remote Bytes Read", TaskValue::kRemoteBytes},
    {"Remote Bytes Read To Disk", TaskValue::kRemoteBytesToDisk},
    {"Local Bytes Read", TaskValue::kLocalBytes},
    {"Total Records Read", TaskValue::kReadRecords},
    {"Remote Requests Duration", TaskValue::kRemoteRequestTime},
};
constexpr Field kPushFields[] = {
    {"Corrupt Merged Block Chunks", TaskValue::kCorruptMergedChunks},
    {"Merged Fetch Fallback Count", TaskValue::kMergedFallbacks},
    {"Merged Remote Blocks Fetched", TaskValue::kRemoteMergedBlocks},
    {"Merged Local Blocks Fetched", TaskValue::kLocalMergedBlocks},
    {"Merged Remote Chunks Fetched", TaskValue::kRemoteMergedChunks},
    {"Merged Local Chunks Fetched", TaskValue::kLocalMergedChunks},
    {"Merged Remote Bytes Read", TaskValue::kRemoteMergedBytes},
    {"Merged Local Bytes Read", TaskValue::kLocalMergedBytes},
    {"Merged Remote Requests Duration", TaskValue::kRemoteMergedRequestTime},
};
constexpr Field kWriteFields[] = {
    {"Shuffle Bytes Written", TaskValue::kWriteBytes},
    {"Shuffle Write Time", TaskValue::kWriteTime},
    {"Shuffle Records Written", TaskValue::kWriteRecords},
};
constexpr Field kInputFields[] = {{"Bytes Read", TaskValue::kInputBytes}, {"Records Read", TaskValue::kInputRecords}};
constexpr Field kOutputFields[] = {{"Bytes Written", TaskValue::kOutputBytes},
                                   {"Records Written", TaskValue::kOutputRecords}};

void ReadFields(const simdjson::dom::object& object, std::span<const Field> fields, HistoryTaskValues* values);

struct Group {
  std::string_view name;
  std::span<const Field> fields;
};
constexpr Group kGroups[] = {
    {"Shuffle Read Metrics", kReadFields}, {"Shuffle Write Metrics", kWriteFields}, {"Input Metrics", kInputFields},
    {"Output Metrics", kOutputFields},     {"Push Based Shuffle", kPushFields},
};

void ReadGroup(std::string_view name, const simdjson::dom::element& element, HistoryTaskValues* values) {
  simdjson::dom::object object;
  if (element.get_object().get(object) != simdjson::SUCCESS) return;
  for (const Group& group : kGroups) {
    if (group.name == name) ReadFields(object, group.fields, values);
  }
}

void ReadFields(const simdjson::dom::object& object, std::span<const Field> fields, HistoryTaskValues* values) {
  size_t next = 0;
  for (const simdjson::dom::key_value_pair member : object) {
    if (member.value.is_object()) {
      ReadGroup(member.key, member.value, values);
      continue;
    }
    for (size_t tried = 0; tried < fields.size(); ++tried) {
      const Field& field = fields[(next + tried) % fields.size()];
      if (field.name != member.key) continue;
      (*values)[field.value] = CountOf(member.value, 0);
      next = next + tried + 1;
      break;
    }
  }
}

int32_t Narrow(int64_t value) {
  if (value < std::numeric_limits<int32_t>::min() || value > std::numeric_limits<int32_t>::max()) return -1;
  return static_cast<int32_t>(value);
}

bool IsInternalMetric(std::string_view name) { return name.starts_with("internal.metrics."); }

void ReadAccumulables(const simdjson::dom::element& value, StringTable* strings, TaskEvent* event) {
  simdjson::dom::array array;
  if (value.get_array().get(array) != simdjson::SUCCESS) return;
  for (const simdjson::dom::element element : array) {
    simdjson::dom::object object;
    if (element.get_object().get(object) != simdjson::SUCCESS || IsInternalMetric(TextAt(object, "Name"))) continue;
    simdjson::dom::element update;
    if (Find(object, "Update", &update)) {
      const std::optional<int64_t> number = ParseInteger(TextOf(update));
      if (number || update.is_number()) {
        event->updates.emplace_back(IntegerAt(object, "ID", -1), number ? *number : IntegerOf(update, 0));
      }
    }
    if (const std::optional<Accumulable> own = ReadAccumulable(object, strings)) event->accumulables.push_back(*own);
  }
}

void ReadTaskInfo(const simdjson::dom::object& object, StringTable* strings, TaskEvent* event) {
  event->attempt = 1;  // where the log has none
  for (const simdjson::dom::key_value_pair member : object) {
    const std::string_view key = member.key;
    const simdjson::dom::element& value = member.value;
    if (key == "Task ID") {
      event->id = IntegerOf(value, -1);
    } else if (key == "Index") {
      event->index = Narrow(IntegerOf(value, 0));
    } else if (key == "Attempt") {
      event->attempt = Narrow(IntegerOf(value, 0));
    } else if (key == "Partition ID") {
      event->partition = Narrow(IntegerOf(value, -1));
    } else if (key == "Launch Time") {
      event->launch_ms = CountOf(value, 0);
    } else if (key == "Executor ID") {
      event->executor = strings->Intern(TextOf(value));
    } else if (key == "Host") {
      event->host = strings->Intern(TextOf(value));
    } else if (key == "Locality") {
      event->locality = strings->Intern(TextOf(value));
    } else if (key == "Speculative") {
      event->speculative = BooleanOf(value);
    } else if (key == "Getting Result Time") {
      event->getting_result_ms = CountOf(value, 0);
    } else if (key == "Finish Time") {
      event->finish_ms = CountOf(value, 0);
    } else if (key == "Failed") {
      event->failed = BooleanOf(value);
    } else if (key == "Killed") {
      event->killed = BooleanOf(value);
    } else if (key == "Accumulables") {
      ReadAccumulables(value, strings, event);
    }
  }
}

void ReadEndReason(const simdjson::dom::element& value, StringTable* strings, TaskEvent* event) {
  simdjson::dom::object reason;
  if (value.get_object().get(reason) != simdjson::SUCCESS) return;
  const std::string_view name = TextAt(reason, "Reason");
  if (name == "Success") return;
  event->counts_as_kill = name == "TaskKilled" || name == "TaskCommitDenied";
  event->end = TaskEndKind::kFailed;
  if (event->counts_as_kill) event->end = TaskEndKind::kKilled;
  if (name == "Resubmitted") event->end = TaskEndKind::kResubmitted;
  event->error = strings->Intern(RedactText(TaskFailureText(reason)));
}

void ReadTaskEnd(const simdjson::dom::object& object, StringTable* strings, TaskEvent* event) {
  for (const simdjson::dom::key_value_pair member : object) {
    simdjson::dom::object part;
    if (member.key == "Task End Reason") {
      ReadEndReason(member.value, strings, event);
    } else if (member.value.get_object().get(part) == simdjson::SUCCESS) {
      if (member.key == "Task Metrics") ReadFields(part, kTaskFields, &event->values);
      if (member.key == "Task Executor Metrics") event->peaks = ReadExecutorMetrics(part);
    }
  }
}

}  // namespace

HistoryTaskStatus TaskEvent::Status() const {
  if (finish_ms == 0) return getting_result_ms != 0 ? HistoryTaskStatus::kGettingResult : HistoryTaskStatus::kRunning;
  if (failed) return HistoryTaskStatus::kFailed;
  return killed ? HistoryTaskStatus::kKilled : HistoryTaskStatus::kSuccess;
}

std::optional<Accumulable> ReadAccumulable(const simdjson::dom::object& object, StringTable* strings) {
  if (BooleanAt(object, "Internal") || TextAt(object, "Metadata") == "sql") return std::nullopt;
  const auto text_at = [&](std::string_view key) -> std::optional<StringId> {
    simdjson::dom::element value;
    if (!Find(object, key, &value)) return std::nullopt;
    if (value.is_string()) return strings->Intern(RedactText(TextOf(value)));
    // Jackson's text for it: nothing for arrays and objects.
    return strings->Intern(value.is_array() || value.is_object() ? "" : simdjson::minify(value));
  };
  return Accumulable{IntegerAt(object, "ID", -1), text_at("Name"), text_at("Update"), text_at("Value")};
}

bool IsTaskEvent(std::string_view name) { return name == kTaskEnd || name == kTaskStart; }

bool ReadTaskEvent(std::string_view name, const simdjson::dom::object& object, StringTable* strings, TaskEvent* event) {
  event->kind = name == kTaskEnd ? TaskEventKind::kEnd : TaskEventKind::kStart;
  simdjson::dom::object info;
  if (!ObjectAt(object, "Task Info", &info)) return false;
  event->stage = CountAt(object, "Stage ID", -1);
  event->stage_attempt = CountAt(object, "Stage Attempt ID", 0);
  ReadTaskInfo(info, strings, event);
  if (event->kind == TaskEventKind::kEnd) ReadTaskEnd(object, strings, event);
  return event->id >= 0;
}

}  // namespace sparkprof
