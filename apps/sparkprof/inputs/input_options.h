// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <CLI/CLI.hpp>
#include <cstdint>
#include <optional>
#include <string>

#include "base/result.h"
#include "event_log/event_log_reader.h"
#include "inputs/inputs.h"
#include "text_log/log_zone.h"

namespace sparkprof {

// Adds --recent to commands that read applications.
void AddWindowTo(CLI::App& command, EventLogWindow* window);

// Options of all commands that read logs or records: limits for hostile or huge inputs (--max-files, --max-expanded,
// --max-ratio, --max-layers, --max-line), --parallel, and --zone for text logs.
class InputOptions {
 public:
  void AddTo(CLI::App& command);  // all of them
  void AddLimitsTo(CLI::App& command);
  void AddThreadsTo(CLI::App& command);
  void AddZoneTo(CLI::App& command);

  // nullopt if the user chose none.
  Result<std::optional<LogZone>> Zone() const;
  const InputLimits& Limits() const { return limits_; }
  const EventLogOptions& EventLog() const { return event_log_; }

 private:
  InputLimits limits_;
  EventLogOptions event_log_;
  std::string zone_;
};

}  // namespace sparkprof
