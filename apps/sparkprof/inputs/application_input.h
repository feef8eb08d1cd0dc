// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "formats/records/profiler_records.h"
#include "inputs/input_options.h"
#include "model/application.h"

namespace sparkprof {

// Inputs of a command about applications, of any kind.
struct ApplicationInput {
  std::vector<std::string> paths;
  std::string application;  // ID; empty = all
  InputOptions options;

  void AddTo(CLI::App& command);
};

// The applications of all event logs, recordings and text logs. Text logs are used only if no other input has their
// application. Prints skipped and damaged input to standard error. If there is no application, prints a message and
// returns none. Fails if a path cannot be read or the requested application does not exist.
Result<std::vector<Application>> LoadApplications(const ApplicationInput& input);

// Applications of recordings, and metrics of profiler records, which are not part of applications. If there are
// neither, a message has been printed.
struct RecordedMetrics {
  std::vector<Application> applications;
  std::optional<ProfilerRecords> records;
};
Result<RecordedMetrics> LoadMetrics(const ApplicationInput& input);

// Reads the event logs, text logs and recordings at `path`. Of several applications, selects the one with this ID, or
// the longest if it is empty, with a note on standard error. If no application has tasks, prints a message and returns
// nullopt. Fails if a path cannot be read.
Result<std::optional<Application>> LoadOneApplication(const std::string& path, const std::string& id,
                                                      const InputOptions& options);

}  // namespace sparkprof
