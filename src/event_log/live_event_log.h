// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "event_log/event_log_parts.h"
#include "event_log/event_log_window.h"
#include "event_log/event_reader.h"
#include "model/application.h"

namespace sparkprof {

// The event log of an application that runs, read on as it grows: what is new costs, not what was read before. Only of
// a file that is compressed and cannot be entered (base/stream_entry.h), the events that were read are decompressed
// again and skipped. Not thread-safe.
class LiveEventLog {
 public:
  // `files`: local, in the order of the log; the last one grows. See EventLogWindow for how much of it is read.
  LiveEventLog(std::vector<std::string> files, const EventLogWindow& window);
  LiveEventLog(const LiveEventLog&) = delete;
  LiveEventLog& operator=(const LiveEventLog&) = delete;

  // Reads complete lines that were added, also in new files. False: begin anew, because the files are others or
  // another application's log begins, or because what was read has become larger than the window's whole_bytes.
  bool Update(const std::vector<std::string>& files);

  // Without complete lines so far, an application without an ID.
  Application Snapshot();

 private:
  // False at the begin of another application's log.
  bool ReadOn();
  bool ReadFile(const std::string& path);
  // Takes the complete lines out of `text`. False at the begin of another application's log.
  bool AddLinesOf(std::string* text);

  std::vector<std::string> files_;
  const int64_t most_bytes_;
  WindowedLog log_;
  Application application_;
  EventReader reader_{&application_};
  LogPlace next_;      // what is read next
  std::string rest_;   // the begin of a line that goes on there
  int64_t bytes_ = 0;  // of lines that were read
  bool is_readable_ = true;
};

}  // namespace sparkprof
