// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "base/io/line_reader.h"
#include "event_log/event_parser.h"
#include "history/replay.h"
#include "history/task_event.h"

namespace sparkprof {

// A batch of event log lines. Batches can be decoded in any order on any thread, and must be applied in the order of
// the log.
class HistoryBatch {
 public:
  // Complete lines; must be set before decoding.
  LineBlock& Lines() { return block_; }

  // Parses task events, which are nearly all events of a large log.
  void Decode(EventParser* parser);

  // Applies all events to `replay`. Parses the events that are not of tasks.
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
