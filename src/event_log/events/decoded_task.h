// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <simdjson.h>

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "event_log/events/cached_blocks.h"
#include "event_log/events/task_end.h"
#include "model/application.h"

namespace sparkprof {

enum class DecodedTaskKind : uint8_t {
  kStart,
  kEnd,
  kResubmitted,  // a second end of a successful task: its output was lost with its executor
  kDamaged,      // required members are missing
};

// A task event of Spark, decoded independently of its application. Views are valid as long as the event's JSON.
struct DecodedTask {
  DecodedTaskKind kind = DecodedTaskKind::kDamaged;
  int64_t id = -1;
  int64_t stage_id = -1;
  int64_t stage_attempt = 0;
  int32_t index = -1;
  int32_t attempt = 0;
  int32_t partition = -1;
  int64_t launch_ns = 0;
  int64_t finish_ns = 0;
  std::string_view executor;
  std::string_view host;
  uint8_t locality = 0;
  bool speculative = false;

  // The following members are set for end events only.
  TaskOutcome outcome = TaskOutcome::kSucceeded;
  bool has_reason = false;
  std::string reason;  // for an unsuccessful task; unredacted
  size_t peaks = 0;    // number of its rows in TaskLists::peaks
  size_t updates = 0;  // number of its rows in TaskLists::updates
  size_t blocks = 0;   // number of its rows in TaskLists::blocks
};

struct TaskLists {
  std::vector<TaskValues> values;                           // one row per end event
  std::vector<std::pair<std::string_view, int64_t>> peaks;  // "Task Executor Metrics": name and value
  std::vector<std::pair<int64_t, int64_t>> updates;         // for a successful task: accumulator and number
  std::vector<BlockUpdate> blocks;                          // blocks of cached RDDs that the task changed

  void Clear() {
    values.clear();
    peaks.clear();
    updates.clear();
    blocks.clear();
  }
};

// Start of the next task's rows in TaskLists.
struct TaskListsPosition {
  size_t values = 0;
  size_t peak = 0;
  size_t update = 0;
  size_t block = 0;

  void Skip(const DecodedTask& task) {
    if (task.kind == DecodedTaskKind::kEnd) ++values;
    peak += task.peaks;
    update += task.updates;
    block += task.blocks;
  }
};

// Decodes the start of a task, which SparkListenerTaskGettingResult repeats. `task` must be new.
void DecodeTaskStart(const simdjson::dom::object& event, DecodedTask* task);

// Decodes the end of a task; appends to `lists`.
void DecodeTaskEnd(const simdjson::dom::object& event, TaskLists* lists, DecodedTask* task);

// Decodes the event with this name; returns false if it is not a task event.
bool DecodeTask(std::string_view name, const simdjson::dom::object& event, TaskLists* lists, DecodedTask* task);

}  // namespace sparkprof
