// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <CLI/CLI.hpp>
#include <cstdint>
#include <string>

#include "base/result.h"
#include "spark/event_log/event_log_reader.h"
#include "spark/layouts/inputs.h"

namespace sparkprof {

// What every verb takes that reads logs: the limits that keep hostile or huge inputs in bounds (--max-files,
// --max-expanded, --max-ratio, --max-layers, --max-line), and --threads.
class InputOptions {
 public:
  void AddTo(CLI::App& command);
  const InputLimits& Limits() const { return limits_; }
  const EventLogOptions& EventLog() const { return event_log_; }

 private:
  InputLimits limits_;
  EventLogOptions event_log_;
};

// "+02:00", "-0330", "+2" or "Z" as ns that a clock is ahead of UTC.
Result<int64_t> ParseUtcOffset(const std::string& text);

}  // namespace sparkprof
