// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "base/line_reader.h"
#include "event_log/event_parser.h"
#include "history/replay.h"
#include "history/task_event.h"

namespace sparkprof {

// Some lines of an event log. Batches are decoded in any order and by any thread, and applied in the log's.
class HistoryBatch {
 public:
  // Complete lines, to be set before they are decoded.
  LineBlock& Lines() { return block_; }

  // Reads the events of tasks, which are nearly all of a large log.
  void Decode(EventParser* parser);

  // Applies the events to `replay`; other events are read only now.
  void Apply(EventParser* parser, Replay* replay);

 private:
  struct Step {
    std::string_view line;  // empty = the next task event
    size_t readable = 0;
  };

  void AddLine(std::string_view line, size_t readable, EventParser* parser);

  LineBlock block_;
  StringTable strings_;
  std::vector<Step> steps_;
  std::vector<TaskEvent> tasks_;
  int64_t damaged_ = 0;
};

}  // namespace sparkprof
