// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/line_reader.h"
#include "inputs/inputs.h"
#include "model/application.h"

namespace sparkprof {

// How one event log was read. Nothing in a log keeps the rest of it from being read.
struct EventLogStatus {
  std::string path;
  int64_t bytes = 0;          // of JSON, after decompression
  int64_t damaged_lines = 0;  // no JSON, or without what their event needs; the last, cut line of a log as well
  int64_t dropped_lines = 0;  // longer than the limit
  int64_t unknown_events = 0;
  std::string problem;  // why the rest is missing: damaged or cut compressed data, a limit; empty = nothing is missing
  std::string same_as;  // the log that has the same application attempt, and more of it; empty = this one is used
};

struct EventLogs {
  std::vector<Application> applications;  // by start
  std::vector<EventLogStatus> logs;       // as the inputs
};

struct EventLogOptions {
  LineLimits lines;
  int threads = 0;  // 0 = as many as the machine has
};

// Reads event logs (inputs of kind kEventLog), several at a time, each into applications of its own: a log that was put
// together from several applications' gives several. An application that does not say its id takes its input's, or its
// file's name.
EventLogs ReadEventLogs(const std::vector<const Input*>& inputs, const EventLogOptions& options = {});

}  // namespace sparkprof
