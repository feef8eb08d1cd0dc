// SPDX-License-Identifier: Apache-2.0
#include "event_log/event_log_context.h"

#include <fmt/format.h>

#include <optional>
#include <vector>

#include "base/text/json_parser.h"
#include "base/text/text.h"

namespace sparkprof {
namespace {

// Entities with start and end events. An entity's key is the letter of its kind and its ID.
enum class Kind : char {
  kApplication = 'a',
  kExecutor = 'e',
  kBlockManager = 'b',
  kStreamingQuery = 'q',
  kExecution = 'x',
  kAdaptivePlan = 'p',
  kJob = 'j',
  kStage = 's',
  kTask = 't',
};

std::string KeyOf(Kind kind, std::string_view id) { return fmt::format("{}{}", static_cast<char>(kind), id); }

std::string KeyOf(Kind kind, int64_t id) { return KeyOf(kind, std::to_string(id)); }

Kind KindOf(std::string_view key) { return static_cast<Kind>(key.front()); }

// The member `id` of an event's object `key`; empty or -1 if missing.
std::string_view TextIn(const simdjson::dom::object& event, std::string_view key, std::string_view id) {
  simdjson::dom::object object;
  return ObjectAt(event, key, &object) ? TextAt(object, id) : std::string_view();
}

int64_t IntegerIn(const simdjson::dom::object& event, std::string_view key, std::string_view id) {
  simdjson::dom::object object;
  return ObjectAt(event, key, &object) ? IntegerAt(object, id, -1) : -1;
}

std::string StageKey(const simdjson::dom::object& event) {
  return KeyOf(Kind::kStage, fmt::format("{}.{}", IntegerIn(event, "Stage Info", "Stage ID"),
                                         IntegerIn(event, "Stage Info", "Stage Attempt ID")));
}

}  // namespace

void EventLogContext::Add(std::string_view lines) {
  while (!lines.empty()) {
    const size_t readable = lines.size();
    const std::string_view line = WithoutCarriageReturn(TakeLine(&lines));
    if (line.empty()) continue;
    if (const std::optional<simdjson::dom::object> event = parser_.Parse(line, readable)) AddEvent(line, *event);
  }
}

void EventLogContext::AddEvent(std::string_view line, const simdjson::dom::object& event) {
  const std::string_view name = EventName(event);
  // Most frequent events first.
  if (name == "SparkListenerTaskEnd") {
    Drop(KeyOf(Kind::kTask, IntegerIn(event, "Task Info", "Task ID")));
  } else if (name == "SparkListenerTaskStart") {
    Keep(KeyOf(Kind::kTask, IntegerIn(event, "Task Info", "Task ID")), line);
  } else if (name == "SparkListenerStageSubmitted") {
    Keep(StageKey(event), line);
  } else if (name == "SparkListenerStageCompleted") {
    Drop(StageKey(event));
  } else if (name == "SparkListenerJobStart") {
    Keep(KeyOf(Kind::kJob, IntegerAt(event, "Job ID", -1)), line);
  } else if (name == "SparkListenerJobEnd") {
    Drop(KeyOf(Kind::kJob, IntegerAt(event, "Job ID", -1)));
  } else if (name == "SparkListenerSQLExecutionStart") {
    Keep(KeyOf(Kind::kExecution, IntegerAt(event, "executionId", -1)), line);
  } else if (name == "SparkListenerSQLAdaptiveExecutionUpdate") {
    const int64_t id = IntegerAt(event, "executionId", -1);
    if (places_.contains(KeyOf(Kind::kExecution, id))) Keep(KeyOf(Kind::kAdaptivePlan, id), line);
  } else if (name == "SparkListenerSQLExecutionEnd") {
    const int64_t id = IntegerAt(event, "executionId", -1);
    Drop(KeyOf(Kind::kExecution, id));
    Drop(KeyOf(Kind::kAdaptivePlan, id));
  } else if (name == "StreamingQueryListener$QueryStartedEvent") {
    Keep(KeyOf(Kind::kStreamingQuery, TextAt(event, "runId")), line);
  } else if (name == "StreamingQueryListener$QueryTerminatedEvent") {
    Drop(KeyOf(Kind::kStreamingQuery, TextAt(event, "runId")));
  } else if (name == "SparkListenerExecutorAdded") {
    Keep(KeyOf(Kind::kExecutor, TextAt(event, "Executor ID")), line);
  } else if (name == "SparkListenerBlockManagerAdded") {
    Keep(KeyOf(Kind::kBlockManager, TextIn(event, "Block Manager ID", "Executor ID")), line);
  } else if (name == "SparkListenerExecutorRemoved") {
    Drop(KeyOf(Kind::kExecutor, TextAt(event, "Executor ID")));
    Drop(KeyOf(Kind::kBlockManager, TextAt(event, "Executor ID")));
  } else if (name == "SparkListenerLogStart" || name == "SparkListenerApplicationStart" ||
             name == "SparkListenerEnvironmentUpdate") {
    Keep(KeyOf(Kind::kApplication, name), line);
  } else if (name == "SparkListenerResourceProfileAdded") {
    Keep(KeyOf(Kind::kApplication, fmt::format("profile {}", IntegerAt(event, "Resource Profile Id", -1))), line);
  }
}

void EventLogContext::Keep(const std::string& key, std::string_view line) {
  Drop(key);
  places_[key] = next_;
  lines_.emplace_hint(lines_.end(), next_++, line);
}

void EventLogContext::Drop(const std::string& key) {
  const auto place = places_.find(key);
  if (place == places_.end()) return;
  lines_.erase(place->second);
  places_.erase(place);
  const std::string_view id = std::string_view(key).substr(1);
  const auto forget = [id](auto* ids) {
    if (const auto found = ids->find(id); found != ids->end()) ids->erase(found);
  };
  if (KindOf(key) == Kind::kExecutor) forget(&doubtful_.executors);
  if (KindOf(key) == Kind::kStreamingQuery) forget(&doubtful_.streaming_runs);
}

void EventLogContext::Skip() {
  std::vector<std::string> ended;
  for (const auto& [key, place] : places_) {
    const std::string id = key.substr(1);
    switch (KindOf(key)) {
      case Kind::kApplication:
      case Kind::kBlockManager:
        break;
      case Kind::kExecutor:
        if (id != "driver") doubtful_.executors.insert(id);
        break;
      case Kind::kStreamingQuery:
        doubtful_.streaming_runs.insert(id);
        break;
      default:
        ended.push_back(key);
    }
  }
  for (const std::string& key : ended) Drop(key);
}

std::string EventLogContext::Lines() const {
  std::string lines;
  for (const auto& [place, line] : lines_) {
    lines += line;
    lines += '\n';
  }
  return lines;
}

}  // namespace sparkprof
