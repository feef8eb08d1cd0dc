// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string_view>
#include <vector>

#include "base/io/line_reader.h"
#include "event_log/event_parser.h"
#include "event_log/events/decoded_task.h"
#include "event_log/events/task_event_scanner.h"
#include "model/samples/string_table.h"

namespace sparkprof {

// Iterator over the events of a batch, in the log's order.
struct EventBatchPosition {
  size_t event = 0;
  size_t task = 0;
  TaskListsPosition lists;
};

// Lines of an event log for EventReader. Decodes task events, nearly all events of a large log, on any thread and in
// any order.
class EventBatch {
 public:
  // Complete lines, one event each; must be set before decoding. Empty lines are skipped.
  LineBlock& Lines() { return block_; }
  void Decode(EventParser* parser);

  struct Event {
    std::string_view line;  // empty = the next task
    size_t readable = 0;    // readable bytes from the line's start on
  };

  const std::vector<Event>& Events() const { return events_; }
  const std::vector<DecodedTask>& Tasks() const { return tasks_; }
  const TaskLists& Lists() const { return lists_; }

 private:
  void AddLine(std::string_view line, size_t readable, EventParser* parser);
  void KeepTexts();
  std::string_view Keep(std::string_view text, std::string_view likely);

  LineBlock block_;
  StringTable strings_;  // strings of the tasks
  std::vector<Event> events_;
  std::vector<DecodedTask> tasks_;
  TaskLists lists_;
  TaskEventScanner scanner_;
  size_t kept_peaks_ = 0;  // rows of lists_.peaks with names in strings_
};

}  // namespace sparkprof
