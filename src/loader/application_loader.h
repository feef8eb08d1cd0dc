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
#include "model/block.h"
#include "text_log/log_zone.h"

namespace sparkprof {

struct LoaderOptions {
  InputLimits limits;
  EventLogOptions event_logs;
  std::optional<LogZone> zone;  // of times without a zone in text logs; unset = derived
  bool log_records = true;      // false: no Application::logs, which takes most of the time
};

// How an input was read.
struct InputOutcome {
  const Input* input = nullptr;
  int64_t bytes = 0;        // after decompression
  std::string problem;      // a sentence; empty = none
  bool is_used = true;      // false: another input has the same data
  std::string window = {};  // see EventLogStatus
};

// Everything that jobs left behind at some paths: event logs, text logs, records of profilers and recordings, sorted by
// application. Finding reads the begin of each file, all recordings and events of OpenLineage; Read does the rest for
// one application, so that a folder with a thousand of them needs the memory of one.
class ApplicationLoader {
 public:
  // Errors: a path that cannot be read.
  static Result<ApplicationLoader> Find(const std::vector<std::string>& paths, const LoaderOptions& options = {});

  const Inputs& inputs() const { return *inputs_; }
  const std::vector<ApplicationInputs>& applications() const { return applications_; }
  const RecordingStatus& recording_status() const { return recording_status_; }

  // The application in row `row`, on one clock, followed by others in its event log. Read each row once. Thread-safe
  // for different rows.
  std::vector<Application> Read(size_t row, std::vector<InputOutcome>* outcomes);

  // Alternative to Read for text logs only: the zone of each of `applications()[row].text_logs` that Read would use.
  std::vector<LogZone> ReadZones(size_t row);

 private:
  // The inputs with exact times: event logs and recordings. The application of row `row` is first.
  std::vector<Application> ReadExact(size_t row, std::vector<InputOutcome>* outcomes);

  LoaderOptions options_;
  std::unique_ptr<Inputs> inputs_;  // pointers into it stay valid
  std::vector<ApplicationInputs> applications_;
  RecordingStatus recording_status_;
  Lineage lineage_;  // of all applications
};

}  // namespace sparkprof
