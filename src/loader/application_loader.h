// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "event_log/event_log_reader.h"
#include "inputs/inputs.h"
#include "loader/application_inputs.h"
#include "loader/lineage.h"
#include "model/application.h"
#include "model/segment/block.h"
#include "text_log/log_zone.h"

namespace sparkprof {

struct LoaderOptions {
  InputLimits limits;
  EventLogOptions event_logs;
  std::optional<LogZone> zone;  // zone of text log times without one; unset = derived
  bool log_records = true;      // false = skip Application::logs, which take most of the time
};

struct InputOutcome {
  const Input* input = nullptr;
  int64_t bytes = 0;        // after decompression
  std::string problem;      // a sentence; empty = none
  bool is_used = true;      // false = another input has the same data
  std::string window = {};  // EventLogStatus::window
};

// Loads what jobs left behind at some paths: event logs, text logs, profiler records and recordings, grouped by
// application. Find reads the start of each file, all recordings and OpenLineage events. Read loads one application at
// a time, so a folder with a thousand applications needs the memory of one.
class ApplicationLoader {
 public:
  // Fails if a path cannot be read.
  static Result<ApplicationLoader> Find(const std::vector<std::string>& paths, const LoaderOptions& options = {});

  const Inputs& inputs() const { return *inputs_; }
  const std::vector<ApplicationInputs>& applications() const { return applications_; }
  const RecordingStatus& recording_status() const { return recording_status_; }

  // The application in row `row`, aligned to one clock, followed by others in its event log. Read each row once.
  // Thread-safe for different rows.
  std::vector<Application> Read(size_t row, std::vector<InputOutcome>* outcomes);

  // Alternative to Read for text logs only: the zones that Read would use for `applications()[row].text_logs`.
  std::vector<LogZone> ReadZones(size_t row);

 private:
  // Reads inputs with exact times: event logs and recordings. The application of row `row` comes first.
  std::vector<Application> ReadExact(size_t row, std::vector<InputOutcome>* outcomes);

  LoaderOptions options_;
  std::unique_ptr<Inputs> inputs_;  // heap-allocated so that pointers into it stay valid
  std::vector<ApplicationInputs> applications_;
  RecordingStatus recording_status_;
  Lineage lineage_;  // lineage of all applications
};

// Unread parts of the inputs, with the reasons. Each is a sentence that starts with the path of the input.
struct InputProblems {
  std::vector<std::string> partly;        // partly read: damaged, truncated or duplicate
  std::vector<std::string> unrecognized;  // not read
  std::vector<std::string> notes;         // reached limits, and windows

  bool Empty() const { return partly.empty() && unrecognized.empty() && notes.empty(); }
};

// `reads_fragments`: the caller answers from fragments (Input::fragment), so they are no problem.
InputProblems ProblemsOf(const Inputs& inputs, const RecordingStatus& recordings,
                         const std::vector<InputOutcome>& outcomes, bool reads_fragments = false);

// The kind of a profile or fragment, which have no application, and the command that reads it: "a GC log of the JVM;
// `sparkprof findings` prints …".
std::string ReaderOf(const Input& input);

// Formats "skipped 2 invalid lines and 1 overlong line"; empty if there are none.
std::string SkippedLines(int64_t invalid, int64_t overlong);

}  // namespace sparkprof
