// SPDX-License-Identifier: Apache-2.0
#include "history/task_event.h"

#include <limits>
#include <string_view>

#include "base/redaction/redaction.h"
#include "base/text/json_parser.h"
#include "base/text/text.h"
#include "event_log/events/task_end.h"

namespace sparkprof {
namespace {

constexpr std::string_view kTaskStart = "SparkListenerTaskStart";
constexpr std::string_view kTaskEnd = "SparkListenerTaskEnd";

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
  event->attempt = 1;  // used if the log has no attempt
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
      if (member.key == "Task Metrics") {
        VisitTaskMetrics(part, [event](SparkTaskMetric metric, const simdjson::dom::element& value) {
          event->values[metric] = CountOf(value, 0);
        });
      }
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
    // Jackson's asText(): empty for arrays and objects.
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
