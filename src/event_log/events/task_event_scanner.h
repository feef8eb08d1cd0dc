// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <utility>
#include <vector>

#include "event_log/events/decoded_task.h"
#include "event_log/events/plain_json.h"
#include "event_log/events/task_info.h"

namespace sparkprof {

// Decodes task events directly from text as written by JsonProtocol of Spark 2.3 to 4.x: members in Spark's order, no
// spaces, no escapes. Several times as fast as parsing JSON, for nearly all events of a large log. Leaves everything
// else to DecodeTask: failed tasks, changes of cached blocks, reordered members, non-ASCII text, damage.
class TaskEventScanner {
 public:
  // Decodes the first line of `lines` with the same result as DecodeTask, except that a task's peaks are only those
  // above the peaks of earlier tasks on its executor since Reset(). Views refer to `lines`, which must be followed by
  // PlainJson::kPadding readable bytes. Returns the size of the event without the line end; 0 = not supported: then
  // `task` is undefined and `lists` unchanged.
  size_t Scan(std::string_view lines, TaskLists* lists, DecodedTask* task);

  // Drops known peaks, for another batch or another application.
  void Reset() { executors_.clear(); }

 private:
  struct PeaksOfExecutor {
    std::string_view id;
    std::string_view last;                                    // text of its last peaks
    std::vector<std::pair<std::string_view, int64_t>> peaks;  // in the order of the first event
  };

  bool ScanEnd(PlainJson* json, TaskLists* lists, DecodedTask* task);
  bool ScanPeaks(PlainJson* json, TaskLists* lists, DecodedTask* task);
  PeaksOfExecutor& PeaksOf(std::string_view executor);

  std::vector<PeaksOfExecutor> executors_;
  size_t last_executor_ = 0;
};

}  // namespace sparkprof
