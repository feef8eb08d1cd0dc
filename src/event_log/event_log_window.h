// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

#include "event_log/event_log_context.h"
#include "event_log/event_log_parts.h"
#include "inputs/inputs.h"
#include "model/application.h"

namespace sparkprof {

// The last part of an event log: the shorter one of both.
struct EventLogWindow {
  int64_t recent_ns = 0;     // before the last event; 0 = everything
  int64_t recent_bytes = 0;  // of events, estimated where they are compressed; 0 = everything
  // The part before the window is searched for what the window refers to (see EventLogContext): all of it, or if that
  // is more than both of these, its begin and its end.
  int64_t head_bytes = int64_t{16} << 20;
  int64_t searched_bytes = int64_t{256} << 20;

  int64_t whole_bytes = 0;  // of events; logs with fewer, estimated likewise, are read as a whole

  bool IsWhole() const { return recent_ns <= 0 && recent_bytes <= 0; }
};

struct WindowedLog {
  Input input;           // the events of the context, then those of the window
  std::string context;   // events, one a line
  LogPlace first;        // where the window begins
  int64_t begin_ns = 0;  // of the window; 0 = it is the whole log
  // A sentence about what was read and what was left out, or why the whole log is read; empty = the window is longer
  // than the log.
  std::string note;
  EventLogContext::Doubtful doubtful;
  int64_t read_bytes = 0;  // as stored
  int64_t left_out_bytes = 0;
};

// Finds the window without reading what is before it: a file is searched by the times of its events where it can be
// entered, see base/stream_entry.h; of a rolled log, files are left out. A single file that cannot be entered stays
// whole.
WindowedLog WindowOf(const Input& log, const EventLogWindow& window);

// For the application that was read from `log`: its times are those of the window, a warning has the note, and
// doubtful executors and queries that no event of the window is about are removed. Does nothing for a whole log.
void ShowWindow(const WindowedLog& log, Application* application);

}  // namespace sparkprof
