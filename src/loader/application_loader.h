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
#include "model/application.h"
#include "model/block.h"
#include "text_log/log_zone.h"

namespace sparkprof {

struct LoaderOptions {
  InputLimits limits;
  EventLogOptions event_logs;
  std::optional<LogZone> zone;  // of times in text logs that do not say theirs; otherwise it is worked out
  bool log_records = true;      // false: no Application::logs, which is what most of the time goes into
};

// How an input was read.
struct InputOutcome {
  const Input* input = nullptr;
  int64_t bytes = 0;    // after decompression
  std::string problem;  // a sentence; empty = none
  bool is_used = true;  // false: another input says the same
};

// Everything that jobs left behind at some paths: event logs, text logs, records of profilers and recordings, sorted by
// application. Finding reads the begin of each file and all recordings; Read does the rest for one application, so that
// a folder with a thousand of them needs the memory of one.
class ApplicationLoader {
 public:
  // Errors: a path that cannot be read.
  static Result<ApplicationLoader> Find(const std::vector<std::string>& paths, const LoaderOptions& options = {});

  const Inputs& inputs() const { return *inputs_; }
  const std::vector<ApplicationInputs>& applications() const { return applications_; }
  const RecordingStatus& recording_status() const { return recording_status_; }

  // The application in row `row`, on one clock; after it others whose events were in its event log. Each row can be
  // read once. Thread-safe for different rows.
  std::vector<Application> Read(size_t row, std::vector<InputOutcome>* outcomes);

  // Instead of Read, for who wants the text logs alone: the zone of each of `applications()[row].text_logs`, by which
  // Read would bring it to the clock of the others.
  std::vector<LogZone> ReadZones(size_t row);

 private:
  // What has exact times: event logs and recordings. The application of row `row` comes first.
  std::vector<Application> ReadExact(size_t row, std::vector<InputOutcome>* outcomes);

  LoaderOptions options_;
  std::unique_ptr<Inputs> inputs_;  // pointers into it stay valid
  std::vector<ApplicationInputs> applications_;
  RecordingStatus recording_status_;
};

}  // namespace sparkprof
