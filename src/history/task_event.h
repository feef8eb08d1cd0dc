// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <simdjson.h>

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/text/json_parser.h"
#include "history/executor_metrics.h"
#include "history/history.h"
#include "history/task_columns.h"
#include "model/samples/string_table.h"

namespace sparkprof {

enum class TaskEventKind : uint8_t { kStart, kEnd };

enum class TaskEndKind : uint8_t { kSuccess, kKilled, kResubmitted, kFailed };

// A task event of Spark. Strings are rows of the table used for reading.
struct TaskEvent {
  TaskEventKind kind = TaskEventKind::kStart;
  int64_t stage = -1;
  int64_t stage_attempt = 0;
  int64_t id = -1;
  int32_t index = 0;
  int32_t attempt = 0;
  int32_t partition = -1;
  int64_t launch_ms = 0;
  int64_t getting_result_ms = 0;
  int64_t finish_ms = 0;
  StringId executor = 0;
  StringId host = 0;
  StringId locality = 0;
  bool speculative = false;
  bool failed = false;
  bool killed = false;
  TaskEndKind end = TaskEndKind::kSuccess;
  StringId error = 0;           // redacted error of an end, or reason of a kill
  bool counts_as_kill = false;  // counted in summaries of killed tasks, by `error`
  HistoryTaskValues values;
  ExecutorMetricValues peaks{};
  std::vector<std::pair<int64_t, int64_t>> updates;  // accumulator ID and value, including those of SQL plans
  std::vector<Accumulable> accumulables;

  HistoryTaskStatus Status() const;
};

// Whether `name` is the start or end of a task.
bool IsTaskEvent(std::string_view name);

// Returns false if it has no task ID.
bool ReadTaskEvent(std::string_view name, const simdjson::dom::object& object, StringTable* strings, TaskEvent* event);

// Reads an accumulator; nullopt for Spark's internal ones.
std::optional<Accumulable> ReadAccumulable(const simdjson::dom::object& object, StringTable* strings);

// Arithmetic on counts, sizes and times of foreign events, clamped to the integers that a double represents exactly, so
// that differences cannot overflow.

inline int64_t CountOf(const simdjson::dom::element& value, int64_t fallback) {
  constexpr int64_t kMax = int64_t{1} << 53;
  return std::clamp(IntegerOf(value, fallback), -kMax, kMax);
}

inline int64_t CountAt(const simdjson::dom::object& object, std::string_view key, int64_t fallback) {
  simdjson::dom::element value;
  return Find(object, key, &value) ? CountOf(value, fallback) : fallback;
}

}  // namespace sparkprof
