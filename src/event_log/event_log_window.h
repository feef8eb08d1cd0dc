// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

#include "event_log/event_log_context.h"
#include "event_log/event_log_parts.h"
#include "inputs/inputs.h"
#include "model/application.h"

namespace sparkprof {

// The last part of an event log: the shorter of two limits.
struct EventLogWindow {
  int64_t recent_ns = 0;     // time before the last event; 0 = unlimited
  int64_t recent_bytes = 0;  // size of events, estimated if compressed; 0 = unlimited
  // The part before the window is searched for events that the window depends on (EventLogContext): completely, or only
  // its start and end if it exceeds the sum of these limits.
  int64_t head_bytes = int64_t{16} << 20;
  int64_t searched_bytes = int64_t{256} << 20;

  int64_t whole_bytes = 0;  // logs with fewer bytes of events (estimated if compressed) are read completely

  bool IsWhole() const { return recent_ns <= 0 && recent_bytes <= 0; }
};

struct WindowedLog {
  Input input;           // events of the context, then those of the window
  std::string context;   // events, one per line
  LogPlace first;        // start of the window
  int64_t begin_ns = 0;  // start time of the window; 0 = the whole log
  // A sentence about what was read and excluded, or why the whole log is read; empty = the window covers the log.
  std::string note;
  EventLogContext::Doubtful doubtful;
  int64_t read_bytes = 0;  // stored size
  int64_t left_out_bytes = 0;
};

// Finds the window without reading everything before it: searches files with entry points (base/io/stream_entry.h) by
// event time, and skips files of a rolled log. A single file without entry points is read completely.
WindowedLog WindowOf(const Input& log, const EventLogWindow& window);

// Adapts the application that was read from `log`: limits its times to the window, adds the note as a warning, and
// removes doubtful executors and queries without events in the window. Does nothing for a whole log.
void ShowWindow(const WindowedLog& log, Application* application);

}  // namespace sparkprof
