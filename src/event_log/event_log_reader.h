// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/io/line_reader.h"
#include "event_log/event_log_window.h"
#include "inputs/inputs.h"
#include "model/application.h"

namespace sparkprof {

// Result of reading an event log. Damage never prevents reading the rest.
struct EventLogStatus {
  std::string path;
  int64_t bytes = 0;          // decompressed size of the JSON
  int64_t damaged_lines = 0;  // invalid JSON or missing members, including a truncated last line
  int64_t dropped_lines = 0;  // longer than the limit
  int64_t unknown_events = 0;
  std::string problem;  // reason for missing data: damaged or truncated compression, a limit; empty = complete
  std::string window;   // sentence about data excluded by an EventLogWindow, or why it was not applied
  std::string same_as;  // log with a more complete copy of the same application attempt; empty = this one is used
};

struct EventLogs {
  std::vector<Application> applications;  // sorted by start
  std::vector<EventLogStatus> logs;       // in the order of the inputs
};

struct EventLogOptions {
  LineLimits lines;
  EventLogWindow window;
  int threads = 0;  // 0 = number of cores
};

// Reads event logs (inputs of kind kEventLog), several in parallel, each into separate applications: a concatenated log
// results in several. An application without an ID gets that of its input, else the file name.
EventLogs ReadEventLogs(const std::vector<const Input*>& inputs, const EventLogOptions& options = {});

}  // namespace sparkprof
