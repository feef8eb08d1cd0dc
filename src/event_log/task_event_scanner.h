// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <utility>
#include <vector>

#include "event_log/decoded_task.h"
#include "event_log/plain_json.h"
#include "event_log/task_info.h"

namespace sparkprof {

// Decodes tasks' events from their text as JsonProtocol of Spark 2.3 to 4.x writes it: members in Spark's order, no
// blanks, no escapes. Several times as fast as parsing JSON first, and nearly all of a large log. Everything else is
// left to DecodeTask: failed tasks, changes of cached blocks, members that moved, text beyond ASCII, damage.
class TaskEventScanner {
 public:
  // The task of the first line of `lines`, as DecodeTask would give it, but that a task's peaks are only those above
  // what earlier tasks of its executor had since Reset(). Views are into `lines`, behind which PlainJson::kPadding
  // bytes are readable. Returns the size of the event, without the line's end; 0 = not such an event: then `task` is
  // undefined and `lists` unchanged.
  size_t Scan(std::string_view lines, TaskLists* lists, DecodedTask* task);

  // Forgets peaks: for another batch or another application.
  void Reset() { executors_.clear(); }

 private:
  struct PeaksOfExecutor {
    std::string_view id;
    std::string_view last;                                    // the text of its last peaks
    std::vector<std::pair<std::string_view, int64_t>> peaks;  // in the order of the first event
  };

  bool ScanEnd(PlainJson* json, TaskLists* lists, DecodedTask* task);
  bool ScanPeaks(PlainJson* json, TaskLists* lists, DecodedTask* task);
  PeaksOfExecutor& PeaksOf(std::string_view executor);

  std::vector<PeaksOfExecutor> executors_;
  size_t last_executor_ = 0;
};

}  // namespace sparkprof
