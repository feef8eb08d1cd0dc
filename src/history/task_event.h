// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <simdjson.h>

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "history/executor_metrics.h"
#include "history/history.h"
#include "history/task_columns.h"
#include "history/task_value.h"
#include "model/string_table.h"

namespace sparkprof {

enum class TaskEventKind : uint8_t { kStart, kEnd };

// How a task ended, as far as Spark counts it.
enum class TaskEndKind : uint8_t { kSuccess, kKilled, kResubmitted, kFailed };

// One of Spark's events about a task. Strings are in the table that it was read with.
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
  StringId error = 0;           // of an end; a killed task's reason; without secrets
  bool counts_as_kill = false;  // in summaries of killed tasks, by `error`
  HistoryTaskValues values;
  ExecutorMetricValues peaks{};
  std::vector<std::pair<int64_t, int64_t>> updates;  // accumulator and number: those of SQL plans are among them
  std::vector<Accumulable> accumulables;             // of the user

  HistoryTaskStatus Status() const;
};

// True for the start and the end of a task.
bool IsTaskEvent(std::string_view name);

// Reads such an event; false if it has no task ID.
bool ReadTaskEvent(std::string_view name, const simdjson::dom::object& object, StringTable* strings, TaskEvent* event);

// An accumulator in an event. Nothing for those of Spark itself.
std::optional<Accumulable> ReadAccumulable(const simdjson::dom::object& object, StringTable* strings);

}  // namespace sparkprof
