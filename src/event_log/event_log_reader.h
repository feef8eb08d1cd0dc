// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/line_reader.h"
#include "event_log/event_log_window.h"
#include "inputs/inputs.h"
#include "model/application.h"

namespace sparkprof {

// Result of reading an event log. Damage never prevents reading the rest.
struct EventLogStatus {
  std::string path;
  int64_t bytes = 0;          // of JSON, after decompression
  int64_t damaged_lines = 0;  // invalid JSON or missing members, including a truncated last line
  int64_t dropped_lines = 0;  // longer than the limit
  int64_t unknown_events = 0;
  std::string problem;  // why the rest is missing: damaged or truncated compressed data, a limit; empty = complete
  std::string window;   // what an EventLogWindow left out, or why it did not apply: a sentence
  std::string same_as;  // the log that has the same application attempt, and more of it; empty = this one is used
};

struct EventLogs {
  std::vector<Application> applications;  // by start
  std::vector<EventLogStatus> logs;       // as the inputs
};

struct EventLogOptions {
  LineLimits lines;
  EventLogWindow window;
  int threads = 0;  // 0 = number of cores
};

// Reads event logs (inputs of kind kEventLog), several in parallel, each into its own applications: a concatenated log
// gives several. An application without an ID gets that of its input, or the file name.
EventLogs ReadEventLogs(const std::vector<const Input*>& inputs, const EventLogOptions& options = {});

}  // namespace sparkprof
