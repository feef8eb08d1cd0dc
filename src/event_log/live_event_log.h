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

// Follows the event log of a running application: each update costs only the new data. Exception: a compressed file
// without entry points (base/io/stream_entry.h) is decompressed from the start, and known events are skipped. Not
// thread-safe.
class LiveEventLog {
 public:
  // `files`: local, in the order of the log; the last one grows. `window` limits how much is read.
  LiveEventLog(std::vector<std::string> files, const EventLogWindow& window);
  LiveEventLog(const LiveEventLog&) = delete;
  LiveEventLog& operator=(const LiveEventLog&) = delete;

  // Reads complete new lines, also from new files. Returns false if the caller must start over: the files were
  // replaced, another application's log starts, or the data has exceeded the window's whole_bytes.
  bool Update(const std::vector<std::string>& files);

  // Before the first complete line, an application without an ID.
  Application Snapshot();

 private:
  // Return false at the start of another application's log.
  bool ReadOn();
  bool ReadFile(const std::string& path);
  // Consumes the complete lines of `text`. Returns false at the start of another application's log.
  bool AddLinesOf(std::string* text);

  std::vector<std::string> files_;
  const int64_t most_bytes_;
  WindowedLog log_;
  Application application_;
  EventReader reader_{&application_};
  LogPlace next_;      // position of the next read
  std::string rest_;   // start of an incomplete line at that position
  int64_t bytes_ = 0;  // size of the lines read
  bool is_readable_ = true;
};

}  // namespace sparkprof
